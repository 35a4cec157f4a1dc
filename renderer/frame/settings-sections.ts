/** The parts of Settings: their place in the address, their words and icons. */
import Archive from '@lucide/svelte/icons/archive'
import ArrowUpRight from '@lucide/svelte/icons/arrow-up-right'
import CalendarClock from '@lucide/svelte/icons/calendar-clock'
import FileText from '@lucide/svelte/icons/file-text'
import Hash from '@lucide/svelte/icons/hash'
import LifeBuoy from '@lucide/svelte/icons/life-buoy'
import ListChecks from '@lucide/svelte/icons/list-checks'
import Plug from '@lucide/svelte/icons/plug'
import ShieldCheck from '@lucide/svelte/icons/shield-check'
import SunMoon from '@lucide/svelte/icons/sun-moon'
import type { Component } from 'svelte'

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
