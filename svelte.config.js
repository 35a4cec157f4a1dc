// The policy `trusted-types 'none'` requires fragments that are built as trees, not from innerHTML.
export default { compilerOptions: { fragments: 'tree', runes: true } }
