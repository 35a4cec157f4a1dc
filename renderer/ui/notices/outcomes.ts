/**
 * The sign of each outcome: a shape, a color, and a label. Used by `Sign.svelte`, by chips and badges, and by the
 * grid's margin.
 */
import ArrowLeftRight from '@lucide/svelte/icons/arrow-left-right'
import ArrowUpRight from '@lucide/svelte/icons/arrow-up-right'
import Check from '@lucide/svelte/icons/check'
import CircleAlert from '@lucide/svelte/icons/circle-alert'
import CircleQuestionMark from '@lucide/svelte/icons/circle-question-mark'
import Hourglass from '@lucide/svelte/icons/hourglass'
import Pencil from '@lucide/svelte/icons/pencil'
import Plus from '@lucide/svelte/icons/plus'
import Split from '@lucide/svelte/icons/split'
import TriangleAlert from '@lucide/svelte/icons/triangle-alert'
import type { Component } from 'svelte'

export type Outcome =
  | 'draft'
  | 'new'
  | 'sending'
  | 'saved'
  | 'not-accepted'
  | 'not-confirmed'
  | 'decision'
  | 'changed-meanwhile'
  | 'waiting'
  | 'caution'

/** The outcomes that need attention, most serious first. */
export const BY_CONCERN = ['decision', 'not-confirmed', 'changed-meanwhile', 'not-accepted'] as const

/** The label of each outcome (`many` is used with a count if it differs), and its icon. */
export const OUTCOMES: Readonly<
  Record<Outcome, { readonly word: string; readonly many?: string; readonly icon: Component }>
> = {
  draft: { word: 'draft', many: 'drafts', icon: Pencil },
  new: { word: 'new', icon: Plus },
  sending: { word: 'being sent', icon: ArrowUpRight },
  saved: { word: 'saved', icon: Check },
  'not-accepted': { word: 'not accepted', icon: CircleAlert },
  'not-confirmed': { word: 'not confirmed', icon: CircleQuestionMark },
  decision: { word: 'your decision', icon: Split },
  'changed-meanwhile': { word: 'changed elsewhere', icon: ArrowLeftRight },
  waiting: { word: 'waiting for authorization', icon: Hourglass },
  caution: { word: 'warning', icon: TriangleAlert },
}
