/** The icons of the screens, and the sections of Settings: their place in the address, their titles, and their icons. */
import Archive from '@lucide/svelte/icons/archive'
import ArrowUpRight from '@lucide/svelte/icons/arrow-up-right'
import BookOpen from '@lucide/svelte/icons/book-open'
import Building2 from '@lucide/svelte/icons/building-2'
import CalendarClock from '@lucide/svelte/icons/calendar-clock'
import FileText from '@lucide/svelte/icons/file-text'
import Hash from '@lucide/svelte/icons/hash'
import History from '@lucide/svelte/icons/history'
import LifeBuoy from '@lucide/svelte/icons/life-buoy'
import ListChecks from '@lucide/svelte/icons/list-checks'
import Plug from '@lucide/svelte/icons/plug'
import Settings from '@lucide/svelte/icons/settings'
import ShieldCheck from '@lucide/svelte/icons/shield-check'
import SunMoon from '@lucide/svelte/icons/sun-moon'
import Table2 from '@lucide/svelte/icons/table-2'
import type { Component } from 'svelte'
import type { Screen } from './router.svelte.ts'

export const SCREEN_ICONS = {
  companies: Building2,
  records: Table2,
  reports: BookOpen,
  activity: History,
  settings: Settings,
} as const satisfies Record<Screen, Component>

export const SECTIONS = [
  { id: 'connections', title: 'Connections', icon: Plug },
  { id: 'appearance', title: 'Appearance', icon: SunMoon },
  { id: 'numbers', title: 'Numbers and dates', icon: Hash },
  { id: 'documents', title: 'Documents', icon: FileText },
  { id: 'sending', title: 'Sending and waiting', icon: ArrowUpRight },
  { id: 'review', title: 'Review', icon: ListChecks },
  { id: 'schedules', title: 'Schedules', icon: CalendarClock },
  { id: 'certificates', title: 'Certificates', icon: ShieldCheck },
  { id: 'backup', title: 'Backup', icon: Archive },
  { id: 'about', title: 'Storage and about', icon: LifeBuoy },
] as const satisfies readonly { id: string; title: string; icon: Component }[]

type SectionId = (typeof SECTIONS)[number]['id']

/** The section that an address names; Connections for anything else. */
export function sectionOf(name: string | undefined): SectionId {
  return SECTIONS.find((section) => section.id === name)?.id ?? 'connections'
}
