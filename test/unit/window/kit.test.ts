/** Decisions of the kit's controls: filtering a list, sorting a table, its visible window, and a tile's letters. */
import '../runes.ts'
import { describe, expect, it } from 'vitest'
import { parseSettings, settingsAsText } from '../../../renderer/settings/number-settings.ts'
import { initials, tileLetters } from '../../../renderer/ui/bands.ts'
import { ComboboxState } from '../../../renderer/ui/fields/combobox.svelte.ts'
import { errorFacts, errorForSupport } from '../../../renderer/ui/notices/errors.ts'
import {
  columnsThatFit,
  drawnWindow,
  nextSort,
  rowAfterKey,
  sortRows,
} from '../../../renderer/ui/table/data-table.svelte.ts'
import type { Settings } from '../../../shared/contract/settings.ts'
import { appError } from '../../../shared/result.ts'

describe('a list that is filtered by typing', () => {
  const options = [
    { value: 'customer', label: 'Customers' },
    { value: 'ProfitAndLoss', label: 'Profit and loss', note: 'ProfitAndLoss' },
  ]
  it('keeps entries that have every word, in label, note, or value', () => {
    const combobox = new ComboboxState({
      options: () => options,
      value: () => '',
      free: () => false,
      take: () => undefined,
    })
    const shown = (text: string) => {
      combobox.typed(text)
      return combobox.shown
    }
    expect(shown('')).toBe(options)
    expect(shown('loss PROFIT')).toEqual([options[1]])
    expect(shown('customer')).toEqual([options[0]])
    expect(shown('x')).toEqual([])
  })

  it('chooses what is highlighted, also when options arrive while the user types or moves', () => {
    const taken: string[] = []
    let shown = [{ value: 'customer', label: 'Customers' }]
    const combobox = new ComboboxState({
      options: () => shown,
      value: () => '',
      free: () => false,
      take: (value) => taken.push(value),
    })
    const press = (key: string) => combobox.key(Object.assign(new Event('keydown'), { key }) as KeyboardEvent)

    combobox.typed('Vendors')
    expect(combobox.active).toBe(-1)
    shown = [...shown, { value: 'vendor', label: 'Vendors' }]
    expect(combobox.active).toBe(0)
    press('Enter')
    press('ArrowDown')
    press('ArrowDown')
    shown = [{ value: 'account', label: 'Accounts' }, ...shown]
    press('Enter')

    expect(taken).toEqual(['vendor', 'vendor'])
  })
})

describe('a table', () => {
  const column = { id: 'name', header: 'Name', text: (row: string) => row }

  it('sorts as a user would, in both directions, without changing its input', () => {
    const rows = ['Item 10', 'item 9', 'Émile', 'Zoe']
    expect(sortRows(rows, [column], { columnId: 'name', direction: 'ascending' })).toEqual([
      'Émile',
      'item 9',
      'Item 10',
      'Zoe',
    ])
    expect(sortRows(rows, [column], { columnId: 'name', direction: 'descending' })).toEqual([
      'Zoe',
      'Item 10',
      'item 9',
      'Émile',
    ])
    expect(rows[0]).toBe('Item 10')
    expect(sortRows(rows, [column], { columnId: 'gone', direction: 'ascending' })).toBe(rows)
  })

  it('reverses the order when sorted again', () => {
    const first = nextSort(null, 'name')
    expect(first.direction).toBe('ascending')
    expect(nextSort(first, 'name').direction).toBe('descending')
    expect(nextSort(first, 'other').direction).toBe('ascending')
  })

  it('renders all of a short list, and only the visible part of a long one', () => {
    expect(drawnWindow(90, 0, 500, 28)).toEqual({ from: 0, to: 90 })
    const middle = drawnWindow(100_000, 28 * 5000, 560, 28)
    expect(middle.from).toBeLessThanOrEqual(5000)
    expect(middle.to).toBeGreaterThanOrEqual(5020)
    expect(middle.to - middle.from).toBeLessThan(60)
    expect(drawnWindow(1000, 28 * 2000, 560, 28).to).toBe(1000)
  })

  it('moves by keys and stays within bounds', () => {
    expect(rowAfterKey('ArrowUp', 0, 5, 10)).toBe(0)
    expect(rowAfterKey('PageDown', 1, 5, 10)).toBe(4)
    expect(rowAfterKey('End', 1, 5, 10)).toBe(4)
    expect(rowAfterKey('a', 1, 5, 10)).toBeNull()
  })

  it('hides the least important columns first, but never the name or the sorted column', () => {
    const column = (id: string, hideOrder: number | null) => ({
      id,
      header: id,
      text: String,
      rem: 10,
      hideOrder,
    })
    const columns = [column('name', null), column('version', 1), column('seen', 2)]
    const fitting = (room: number, sortedBy: string | null = null): readonly string[] =>
      columnsThatFit(columns, room, sortedBy).map(({ id }) => id)
    expect(fitting(30)).toEqual(['name', 'version', 'seen'])
    expect(fitting(29)).toEqual(['name', 'seen'])
    expect(fitting(29, 'version')).toEqual(['name', 'version'])
    expect(fitting(0)).toEqual(['name'])
    const squeezed = columnsThatFit([...columns.slice(0, 2), { ...column('seen', 2), leastRem: 6 }], 28, null)
    expect(squeezed.map(({ rem }) => rem)).toEqual([10, 10, 8])
    // The left columns, such as names, shrink last.
    const twice = [
      { ...column('name', null), leastRem: 5 },
      { ...column('seen', null), leastRem: 5 },
    ]
    expect(columnsThatFit(twice, 14, null).map(({ rem }) => rem)).toEqual([9, 5])
    // A path keeps its width as long as a column that may be hidden can still shrink.
    const paths = [
      { ...column('file', null), flexMinRem: 6 },
      { ...column('version', 1), leastRem: 5 },
      { ...column('seen', null), leastRem: 5 },
    ]
    expect(columnsThatFit(paths, 26, null).map(({ rem }) => rem)).toEqual([6, 6, 10])
    const scrolled = columnsThatFit(
      [column('name', null), { ...column('file', null), flexMinRem: 12 }],
      15,
      null,
    )
    expect(scrolled.map(({ rem, takesRest }) => [rem, takesRest])).toEqual([
      [10, false],
      [12, true],
    ])
  })
})

describe('a tile', () => {
  it('has two meaningful letters', () => {
    expect(initials('Alder & Finch Builders')).toBe('AF')
    expect(initials('The Bakery Inc.')).toBe('BA')
    expect(initials('C:\\Books\\2026\\Cedar Holm.QBW')).toBe('CH')
    expect(initials('Žižka')).toBe('ŽI')
    expect(initials('  ')).toBe('?')
  })

  it('has a third letter or a number where another company would have the same letters', () => {
    const lettersOf = (...names: readonly string[]): readonly (string | undefined)[] => {
      const companies = names.map((name) => ({ key: name, name, chosen: name === 'Oak' ? 'BD' : '' }))
      const letters = tileLetters(companies)
      return names.map((name) => letters.get(name))
    }
    expect(lettersOf('Bright Dental 2', 'Bright Dental', 'Bright Dental 12')).toEqual(['BD2', 'BD', 'B12'])
    expect(lettersOf('Bright Dental', 'Birch Dairy', 'Harbor Bakery')).toEqual(['BDE', 'BD', 'HB'])
    expect(lettersOf('Bay Dental Clinic', 'Bay Dental Group', 'Bay Dental')).toEqual(['BDC', 'BDG', 'BD'])
    expect(lettersOf('Bay Dental Trust', 'Bay Dental Trust 2')).toEqual(['BD', 'BD2'])
    expect(lettersOf('Bright Dental', 'Oak')).toEqual(['BDE', 'BD'])
    expect(lettersOf('B D', 'b d', 'B. D.')).toEqual(['BD', 'BD2', 'BD3'])
  })
})

describe('an error', () => {
  const error = appError('service-error', 'Not done.', 'Try again.', {
    code: '3200',
    raw: 'stale',
    requestId: 'r-1',
    more: ['a', 'b'],
  })
  it('shows its details', () => {
    expect(errorFacts(error).map(({ name }) => name)).toEqual([
      'Kind',
      'Code',
      'RequestId',
      'What the service said',
      'More',
    ])
    const system = appError('unreachable', 'Nobody there.', '', { raw: 'connect ECONNREFUSED' })
    expect(errorFacts(system).map(({ name }) => name)).toEqual(['Kind', 'Technical details'])
    expect(errorForSupport(error, new Date(0))).toContain('RequestId: r-1')
  })
})

describe('settings', () => {
  const settings = {
    readSeconds: 120,
    writeSeconds: 180,
    provisionSeconds: 600,
    reportSeconds: 300,
    graceSeconds: 5,
    recheckSeconds: 60,
    batchSize: 50,
    responseMebibytes: 400,
    historyDays: 365,
    pageParameter: 'page',
    dataSchemaVersion: '20.04',
    reportSchemaVersion: '1',
  } as Settings

  it('change nothing when nothing was changed', () => {
    expect(parseSettings(settingsAsText(settings), settings)).toEqual({ changes: {}, problems: {} })
  })

  it('are numbers within their limits, and names that are valid in an address', () => {
    const typed = {
      ...settingsAsText(settings),
      readSeconds: ' 90 ',
      batchSize: '0',
      writeSeconds: '1e3',
      pageParameter: 'a b',
      dataSchemaVersion: '21',
    }
    const { changes, problems } = parseSettings(typed, settings)
    expect(changes).toEqual({ readSeconds: 90, dataSchemaVersion: '21' })
    expect(Object.keys(problems)).toEqual(['writeSeconds', 'batchSize', 'pageParameter'])
  })
})
