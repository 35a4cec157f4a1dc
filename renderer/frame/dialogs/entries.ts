/** The palette's entries, from the session: companies, screens, lists, reports, and commands. */
import BookOpen from '@lucide/svelte/icons/book-open'
import Broom from '@lucide/svelte/icons/broom'
import Building2 from '@lucide/svelte/icons/building-2'
import Download from '@lucide/svelte/icons/download'
import FileText from '@lucide/svelte/icons/file-text'
import FlaskConical from '@lucide/svelte/icons/flask-conical'
import Keyboard from '@lucide/svelte/icons/keyboard'
import Layers from '@lucide/svelte/icons/layers'
import LifeBuoy from '@lucide/svelte/icons/life-buoy'
import Plus from '@lucide/svelte/icons/plus'
import RotateCw from '@lucide/svelte/icons/rotate-cw'
import Search from '@lucide/svelte/icons/search'
import Settings from '@lucide/svelte/icons/settings'
import SunMoon from '@lucide/svelte/icons/sun-moon'
import Table2 from '@lucide/svelte/icons/table-2'
import Upload from '@lucide/svelte/icons/upload'
import type { Component } from 'svelte'
import type { ListPosition } from '../../../shared/contract/all-companies.ts'
import type { Company } from '../../../shared/contract/companies.ts'
import { listName, OBJECT_DEFINITIONS } from '../../../shared/records/definition.ts'
import { normalizeForSearch, searchTerms } from '../../../shared/records/search-text.ts'
import { reportNames, reportTitle } from '../../../shared/reports/reports.ts'
import { SCREEN_ICONS, SECTIONS } from '../navigation.ts'
import { SCREEN_TITLES, SCREENS } from '../router.svelte.ts'
import { companyName, companyOf, isSameCompany, type Session } from '../session.svelte.ts'
import { keyName, type ScreenCommand, type ScreenList } from '../shortcuts.ts'
import type { PaletteEntry } from './palette.ts'

/** Every company, favorites and recent ones first. One that is inactive or no longer listed opens its details. */
export function companyEntries(companies: readonly Company[]): readonly PaletteEntry[] {
  const favoritesFirst = [
    ...companies.filter(({ favorite }) => favorite),
    ...companies.filter(({ favorite }) => !favorite),
  ]
  return [...favoritesFirst.filter(isOpen), ...favoritesFirst.filter((company) => !isOpen(company))].map(
    (company) => ({
      id: `company ${company.ref.endpointId}`,
      group: isOpen(company) ? 'Companies' : company.isListed ? 'Inactive' : 'No longer listed',
      label: companyName(company),
      note: noteOf(company),
      also: isOpen(company) ? '' : company.isListed ? 'inactive' : 'no longer listed',
      company,
      action: isOpen(company)
        ? { what: 'company', company }
        : { what: 'screen', screen: 'companies', rest: ['company', company.ref.endpointId] },
    }),
  )
}

function isOpen(company: Company): boolean {
  return company.isListed && company.isActive
}

/** The path tells files apart. Where a company has a label, the service's own name is searched too. */
function noteOf(company: Company): string {
  const { companyName: serviceName, fullPath } = company
  return [companyName(company) === serviceName ? '' : serviceName, fullPath].filter(Boolean).join(' · ')
}

/** The window's own commands. */
export interface WindowCommands {
  readonly shortcuts: () => void
  /** Opens the guide at the page about the current screen. */
  readonly guide: () => void
  /** Opens **Find anywhere**. */
  readonly findAnywhere: () => void
  readonly sampleDesktop: () => void
  /** Opens *Import…* in Records, for the list that is or was open there. */
  readonly importRecords: () => void
  readonly exportRecords: () => void
  /** What the current screen can do right now. */
  readonly ofScreen: readonly ScreenCommand[]
  /** The list on screen; `null` if there is none. */
  readonly list: ScreenList | null
}

/** Everything that Ctrl/⌘ K offers. */
export function allEntries(
  session: Session,
  isMac: boolean,
  commands: WindowCommands,
): readonly PaletteEntry[] {
  const companies = companyEntries(session.recentCompanies)
  const onScreen = commands.ofScreen.map((command) => screenCommandEntry(command, isMac))
  const offered = new Set(onScreen.map(({ label }) => label))
  return [
    ...companies,
    ...onScreen,
    ...screenEntries(isMac),
    ...SECTIONS.map(({ id, title, icon }): PaletteEntry => ({
      id: `settings ${id}`,
      group: 'Settings',
      label: `Settings: ${title}`,
      icon,
      action: { what: 'screen', screen: 'settings', rest: [id] },
    })),
    ...[...bookEntries(session.company), ...commandEntries(session, isMac, commands)].filter(
      ({ label }) => !offered.has(label),
    ),
  ]
}

function screenCommandEntry({ label, also, keys, icon, run }: ScreenCommand, isMac: boolean): PaletteEntry {
  return {
    id: `here ${label}`,
    group: 'On this screen',
    label,
    ...(also === undefined ? {} : { also }),
    ...(icon ? { icon } : {}),
    ...(keys === undefined ? {} : { keys: keyName(keys, isMac) }),
    action: { what: 'run', run },
  }
}

function screenEntries(isMac: boolean): readonly PaletteEntry[] {
  return SCREENS.map((screen, index) => ({
    id: `screen ${screen}`,
    group: 'Screens',
    label: SCREEN_TITLES[screen],
    icon: SCREEN_ICONS[screen],
    keys: keyName(`Ctrl ${index + 1}`, isMac),
    action: { what: 'screen', screen },
  }))
}

/** At most this many lists and reports of other companies are shown. */
const MAX_BOOKS = 8

/**
 * Lists and reports of companies, for a search that names both: *alder profit* finds Alder & Finch's Profit and loss.
 */
export function bookEntriesFor(companies: readonly Company[], typed: string): readonly PaletteEntry[] {
  const terms = searchTerms(typed)
  if (terms.length < 2) return []
  const found: PaletteEntry[] = []
  for (const company of companies.filter(isOpen)) {
    const name = normalizeForSearch(companyName(company))
    const rest = terms.filter((word) => !name.includes(word))
    if (rest.length === 0 || rest.length === terms.length) continue
    for (const { id, label, also, icon, screen, part } of booksOf(company)) {
      const text = normalizeForSearch(`${label} ${also ?? ''}`)
      if (!rest.every((word) => text.includes(word))) continue
      found.push({
        id: `book ${company.ref.endpointId} ${id}`,
        group: 'Lists and reports',
        label,
        note: companyName(company),
        icon,
        action: { what: 'book', company, screen, rest: [part] },
      })
    }
  }
  return found.toSorted((left, right) => left.label.length - right.label.length).slice(0, MAX_BOOKS)
}

/** At most this many records are shown. */
const MAX_RECORDS = 6

function recordEntry(
  company: Company,
  object: string,
  record: { readonly recordId: string; readonly name: string },
): PaletteEntry {
  return {
    id: `record ${company.ref.endpointId} ${object} ${record.recordId}`,
    group: 'Records',
    label: record.name,
    note: `${listName(object)} · ${companyName(company)}`,
    icon: FileText,
    action: {
      what: 'book',
      company,
      screen: 'records',
      rest: [object, 'record', record.recordId, 'Name'],
    },
  }
}

/** Records of the list on screen, by name. */
export function shownRecordEntries(
  session: Session,
  list: ScreenList | null,
  typed: string,
): readonly PaletteEntry[] {
  const terms = searchTerms(typed)
  const company = companyOf(session.companies, list?.company ?? null)
  if (list === null || company === null || terms.length === 0) return []
  return list.find(terms, MAX_RECORDS).map((record) => recordEntry(company, list.object, record))
}

/**
 * Records of kept lists, by name, those of the open company first. Leaves out the list on screen.
 * @param signal aborted when something else is typed
 */
export async function keptRecordEntries(
  session: Session,
  shown: ScreenList | null,
  typed: string,
  signal: AbortSignal,
): Promise<readonly PaletteEntry[]> {
  const connectionId = session.connection?.connectionId
  const terms = searchTerms(typed)
  // One letter is in nearly every name.
  if (connectionId === undefined || terms.join('').length < 2) return []
  const found: { readonly isOpen: boolean; readonly entry: PaletteEntry }[] = []
  let after: ListPosition | null = null
  do {
    const result: Awaited<ReturnType<typeof findPart>> = await findPart(session, connectionId, typed, after)
    if (!result.ok) break
    for (const list of result.value.lists) {
      const company = companyOf(session.companies, list.company)
      const isShown = isSameCompany(shown?.company ?? null, list.company) && shown?.object === list.object
      if (company === null || isShown) continue
      const named = list.hits.filter(({ name }) => {
        const text = normalizeForSearch(name)
        return terms.every((word) => text.includes(word))
      })
      const isOpen = isSameCompany(company.ref, session.company?.ref ?? null)
      found.push(...named.map((hit) => ({ isOpen, entry: recordEntry(company, list.object, hit) })))
    }
    after = result.value.next
  } while (after !== null && !signal.aborted)
  return found
    .toSorted((left, right) => Number(right.isOpen) - Number(left.isOpen))
    .slice(0, MAX_RECORDS)
    .map(({ entry }) => entry)
}

function findPart({ api }: Session, connectionId: string, text: string, after: ListPosition | null) {
  return api.call('allCompanies.find', { connectionId, text, after })
}

interface Book {
  readonly id: string
  readonly label: string
  readonly also?: string
  readonly icon: Component
  readonly screen: 'records' | 'reports'
  /** What follows the screen in the address. */
  readonly part: string
}

/** A company's lists and reports. */
function booksOf(company: Company): readonly Book[] {
  return [
    ...OBJECT_DEFINITIONS.map(({ object, list }): Book => ({
      id: `list ${object}`,
      label: list,
      icon: Table2,
      screen: 'records',
      part: object,
    })),
    ...reportNames(company.application).map((name): Book => ({
      id: `report ${name}`,
      label: reportTitle(name),
      also: 'report',
      icon: BookOpen,
      screen: 'reports',
      part: name,
    })),
  ]
}

const SEVERAL_COMPANIES = 'Reports for several companies…'

/** Lists and reports of the open company. */
function bookEntries(company: Company | null): readonly PaletteEntry[] {
  if (!company) return []
  const name = companyName(company)
  const books = booksOf(company).map(({ screen, part, ...shown }): PaletteEntry => ({
    ...shown,
    group: screen === 'records' ? `Lists in ${name}` : `Reports in ${name}`,
    action: { what: 'screen', screen, rest: [part] },
  }))
  const several: PaletteEntry = {
    id: 'reports several',
    group: 'Commands',
    label: SEVERAL_COMPANIES,
    also: 'month end batch',
    icon: BookOpen,
    action: { what: 'screen', screen: 'reports', rest: ['several'] },
  }
  return [...books, several]
}

function commandEntries(session: Session, isMac: boolean, commands: WindowCommands): readonly PaletteEntry[] {
  const run = (id: string, label: string, icon: PaletteEntry['icon'], command: () => void): PaletteEntry => ({
    id,
    group: 'Commands',
    label,
    ...(icon ? { icon } : {}),
    action: { what: 'run', run: command },
  })
  const others = session.connections.filter(
    (other) => other.connectionId !== session.connection?.connectionId,
  )
  return [
    {
      ...run('find anywhere', 'Find anywhere…', Search, commands.findAnywhere),
      note: 'records of all companies',
      also: 'name phone email number amount customer vendor',
      keys: keyName('Ctrl Shift F', isMac),
    },
    {
      id: 'change several',
      group: 'Commands',
      label: 'Change in several companies…',
      also: 'terms class account all clients bulk',
      icon: Layers,
      action: { what: 'screen', screen: 'records', rest: ['several'] },
    },
    {
      id: 'tidy up',
      group: 'Commands',
      label: 'Tidy up…',
      note: 'lists of all companies',
      also: 'duplicates merge clean phones zip states emails 1099 blanks inactive',
      icon: Broom,
      action: { what: 'screen', screen: 'records', rest: ['tidy'] },
    },
    {
      id: 'add company',
      group: 'Commands',
      label: 'Add company…',
      icon: Plus,
      action: { what: 'screen', screen: 'companies', rest: ['add'] },
    },
    {
      id: 'add connection',
      group: 'Commands',
      label: 'Add connection…',
      icon: Plus,
      action: { what: 'screen', screen: 'settings', rest: ['add-connection'] },
    },
    ...(session.company
      ? [
          {
            id: 'details',
            group: 'Commands',
            label: `${companyName(session.company)}: details`,
            note: 'test, notes, agent token, de-provision',
            icon: Building2,
            action: {
              what: 'screen',
              screen: 'companies',
              rest: ['company', session.company.ref.endpointId],
            },
          } satisfies PaletteEntry,
          {
            ...run('import', 'Import…', Download, commands.importRecords),
            also: 'excel workbook xlsx csv open file',
          },
          {
            ...run('export', 'Export…', Upload, commands.exportRecords),
            also: 'excel workbook xlsx csv save file',
          },
        ]
      : []),
    run('refresh', 'Refresh the list of companies', RotateCw, () => void session.refreshCompanies()),
    run('light', 'Theme: light', SunMoon, () => void session.set({ theme: 'light' })),
    run('dark', 'Theme: dark', SunMoon, () => void session.set({ theme: 'dark' })),
    run('system', 'Theme: system', SunMoon, () => void session.set({ theme: 'system' })),
    run('guide', 'Guide', LifeBuoy, commands.guide),
    run('shortcuts', 'Shortcuts', Keyboard, commands.shortcuts),
    ...(session.connection?.isSample
      ? [run('sample', 'Sample desktop', FlaskConical, commands.sampleDesktop)]
      : []),
    ...others.map((other) =>
      run(`connection ${other.connectionId}`, `Connection: ${other.name}`, Settings, () => {
        void session.useConnection(other.connectionId)
      }),
    ),
  ]
}
