/** The first columns of the log and of the history: sign, time, and company. */
import type { Snippet } from 'svelte'
import { capitalized, type Format } from '../../../shared/format/format.ts'
import { clock } from '../../clock.ts'
import type { FittedColumn } from '../../ui/table/data-table.svelte.ts'

interface Logged {
  /** ISO. */
  readonly at: string
  readonly companyName: string
}

/**
 * @param cells draw the sign, whose word is its text, and the company
 * @param companyRem the width of the companies, in rem
 * @param times how times are written, those of today without the day if short, and how wide they are, in rem
 */
export function leadingColumns<Row extends Logged>(
  format: { readonly current: Format },
  cells: {
    readonly signWord: (row: Row) => string
    readonly sign: Snippet<[Row]>
    readonly company: Snippet<[Row]>
  },
  companyRem = 15,
  times: { readonly isShort?: boolean; readonly rem?: number } = {},
): readonly FittedColumn<Row>[] {
  const { current } = format
  const today = current.day(clock.date().toISOString())
  const shortTime = (at: string): string =>
    current.day(at) === today ? current.time(at) : current.shortMoment(at)
  return [
    {
      id: 'sign',
      header: '',
      headerLabel: 'Sign',
      text: cells.signWord,
      cell: cells.sign,
      rem: 2.5,
      sortable: false,
      hideOrder: null,
    },
    {
      id: 'time',
      header: 'Time',
      text: (row) => capitalized(times.isShort ? shortTime(row.at) : format.current.moment(row.at)),
      compare: (left, right) => Date.parse(left.at) - Date.parse(right.at),
      rem: times.rem ?? 9.75,
      leastRem: times.isShort ? 4.75 : 7.5,
      quiet: true,
      hideOrder: null,
    },
    {
      id: 'company',
      header: 'Company',
      text: (row) => row.companyName,
      cell: cells.company,
      rem: companyRem,
      leastRem: 8,
      hideOrder: null,
    },
  ]
}
