// Trusted types 'none' needs fragments built as trees, not from innerHTML (design: csp).
export default { compilerOptions: { fragments: 'tree', runes: true } }
