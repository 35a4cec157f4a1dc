/**
 * AG Grid's code and theme, in a chunk that is loaded when a grid is first needed. Registers only the modules
 * that the screens use.
 */
import {
  CellApiModule,
  CellStyleModule,
  ColumnApiModule,
  ColumnAutoSizeModule,
  createGrid,
  CustomEditorModule,
  CustomFilterModule,
  EventApiModule,
  HighlightChangesModule,
  LocaleModule,
  ModuleRegistry,
  PinnedRowModule,
  RenderApiModule,
  RowApiModule,
  RowStyleModule,
  ScrollApiModule,
  SelectEditorModule,
  TextEditorModule,
  TextFilterModule,
  themeQuartz,
} from 'ag-grid-community'
import { LazyRowModelModule } from './lazy-row-model.ts'

ModuleRegistry.registerModules([
  CellApiModule,
  CellStyleModule,
  ColumnApiModule,
  ColumnAutoSizeModule,
  CustomEditorModule,
  CustomFilterModule,
  EventApiModule,
  HighlightChangesModule,
  LazyRowModelModule,
  LocaleModule,
  PinnedRowModule,
  RenderApiModule,
  RowApiModule,
  RowStyleModule,
  ScrollApiModule,
  SelectEditorModule,
  TextEditorModule,
  TextFilterModule,
])

export { createGrid }

const rule = { style: 'solid', width: 1, color: 'var(--rule)' } as const
const strongRule = { style: 'solid', width: 1, color: 'var(--rule-2)' } as const
const focus = { style: 'solid', width: 2, color: 'var(--focus)' } as const

/**
 * The theme, based on the design tokens. All values are `var(…)`, so that one theme serves light, dark, and
 * high contrast.
 */
export const gridTheme = themeQuartz.withParams({
  browserColorScheme: 'inherit',
  backgroundColor: 'var(--paper)',
  foregroundColor: 'var(--ink)',
  cellTextColor: 'var(--ink)',
  accentColor: 'var(--accent)',
  borderColor: 'var(--rule)',
  chromeBackgroundColor: 'var(--sheet)',
  headerBackgroundColor: 'var(--sheet)',
  headerTextColor: 'var(--ink-2)',
  headerFontSize: 'var(--text-sm)',
  headerFontWeight: 400,
  iconSize: 12,
  headerHeight: 'var(--row)',
  rowHeight: 'var(--row)',
  fontFamily: 'var(--font-ui)',
  fontSize: 'var(--text-base)',
  dataFontSize: 'var(--text-base)',
  cellHorizontalPadding: 'var(--s-4)',
  rowBorder: rule,
  columnBorder: rule,
  headerColumnBorder: strongRule,
  // The rules between headings show where to drag.
  headerColumnResizeHandleColor: 'transparent',
  headerRowBorder: strongRule,
  pinnedColumnBorder: strongRule,
  wrapperBorder: false,
  wrapperBorderRadius: 0,
  borderRadius: 'var(--radius-2)',
  rowHoverColor: 'var(--hover)',
  selectedRowBackgroundColor: 'var(--select)',
  rangeSelectionBackgroundColor: 'var(--select)',
  rangeSelectionBorderColor: 'var(--focus)',
  cellEditingBorder: focus,
  inputFocusBorder: focus,
  inputFocusShadow: 'none',
  cellEditingShadow: 'none',
  inputInvalidBorder: { style: 'solid', width: 2, color: 'var(--error-edge)' },
  checkboxCheckedBackgroundColor: 'var(--accent)',
  valueChangeValueHighlightBackgroundColor: 'var(--saved-tint)',
  popupShadow: 'var(--shadow)',
  menuBackgroundColor: 'var(--float)',
})
