/**
 * The review in a review pack, next to the statements: findings, decisions, and what was not checked. For paper
 * and for workbooks.
 */
import type { KeptOutcome } from '../../shared/contract/review.ts'
import { type Format, formatSentence } from '../../shared/format/format.ts'
import { escapeHtml } from '../../shared/format/text.ts'
import {
  balanceSide,
  balanceText,
  type Finding,
  formatNever,
  formatSigner,
  nothingFound,
  subjectText,
  worstFirst,
} from '../../shared/review/review.ts'
import { RULES } from '../../shared/review/rules.ts'
import type { PrintedSection } from './print/report-print.ts'
import { NOTE, PLAIN, TITLE } from './workbook/cells.ts'
import type { SheetRow, WorkbookSheet } from './workbook/sheet.ts'
import { once } from './write-file.ts'

/** A finding of the month with its current decision. */
export interface PackedFinding {
  readonly group: string
  readonly rule: string
  readonly subject: string
  /** Exact decimal; empty if the finding isn't about an amount. */
  readonly amount: string
  readonly side: Finding['side']
  readonly detail: string
  /** *Accepted*, *Open*, or *Never for this account*. */
  readonly decision: string
  readonly note: string
  readonly by: string
  /** ISO; empty while it is open. */
  readonly at: string
}

export interface PackedReview {
  readonly hasCents: boolean
  readonly companyName: string
  readonly period: string
  /** *Closed by Ana on October 3, 2026.* */
  readonly signature: string
  readonly note: string
  readonly findings: readonly PackedFinding[]
  /** What was not checked, and why. */
  readonly notChecked: readonly { readonly rule: string; readonly reason: string }[]
  /** Rules for which the settings leave nothing to look for, and why. */
  readonly off: readonly { readonly rule: string; readonly reason: string }[]
  /** Rules that found nothing. */
  readonly clean: readonly string[]
  /** What to say if there are no findings. */
  readonly nothingFound: string
}

/** Collects the outcomes of the rules as on screen: the worst findings first. */
export function packReview(
  outcomes: readonly KeptOutcome[],
  decisionOn: (finding: Pick<Finding, 'key' | 'amount' | 'detail'>) => {
    readonly kind: 'accepted' | 'never'
    readonly note: string
    readonly by: string
    readonly at: string
  } | null,
  format: Format,
): Pick<PackedReview, 'findings' | 'notChecked' | 'off' | 'clean' | 'nothingFound'> {
  const notChecked = outcomes.flatMap((outcome) => {
    const rule = RULES[outcome.rule].title
    if (outcome.result === 'clean' || outcome.result === 'off') return []
    const reasons = outcome.result === 'found' ? outcome.unchecked : [outcome.reason]
    return reasons.map((reason) => ({ rule, reason }))
  })
  const found = worstFirst(outcomes.flatMap((outcome) => (outcome.result === 'found' ? [outcome] : [])))
  const findings = found.flatMap((outcome): readonly PackedFinding[] => {
    const { group, title, about } = RULES[outcome.rule]
    return outcome.findings.map(({ key, subject, amount, side, detail, records }) => {
      const decided = decisionOn({ key, amount, detail })
      const decision =
        decided === null ? 'Open' : decided.kind === 'accepted' ? 'Accepted' : formatNever(about, records)
      return {
        group,
        rule: title,
        subject: subjectText(subject, format),
        amount,
        side,
        detail: formatSentence(detail, format),
        decision,
        note: decided?.note ?? '',
        by: decided?.by ?? '',
        at: decided?.at ?? '',
      }
    })
  })
  const clean = outcomes.flatMap(({ rule, result }) => (result === 'clean' ? [RULES[rule].title] : []))
  const off = outcomes.flatMap((outcome) =>
    outcome.result === 'off' ? [{ rule: RULES[outcome.rule].title, reason: outcome.reason }] : [],
  )
  return { findings, notChecked, off, clean, nothingFound: nothingFound(outcomes) }
}

/** Returns who decided, when, and why, as markup. */
function decisionMarkup({ decision, by, at, note }: PackedFinding, format: Format): string {
  const signed = at === '' ? decision : `${decision}${formatSigner(by)}, ${format.day(at)}`
  return `${escapeHtml(signed)}${note === '' ? '' : `<p>${escapeHtml(note)}</p>`}`
}

/** Creates the pages of the review, between the cover and the statements. */
export function reviewSection(review: PackedReview, format: Format): PrintedSection {
  const { companyName, period, findings, notChecked, off, clean } = review
  const rows: string[] = []
  let rule = ''
  for (const finding of findings) {
    if (finding.rule !== rule) {
      ;({ rule } = finding)
      rows.push(`<tr class="rule"><th colspan="3">${escapeHtml(rule)}</th></tr>`)
    }
    const amount = escapeHtml(balanceText(finding.amount, finding.side, format))
    rows.push(
      `<tr><th>${escapeHtml(finding.subject)}<p>${escapeHtml(finding.detail)}</p></th><td>${amount}</td>` +
        `<td class="text${finding.decision === 'Open' ? ' open' : ''}">${decisionMarkup(finding, format)}</td></tr>`,
    )
  }
  const table =
    findings.length === 0
      ? `<p class="days">${escapeHtml(review.nothingFound)}</p>`
      : `<table><thead><tr><th>Finding</th><th>Amount (Dr or Cr)</th><th class="text">Decision</th></tr></thead><tbody>${rows.join('')}</tbody></table>`
  const lines = (title: string, each: PackedReview['notChecked']): string =>
    each.length === 0
      ? ''
      : `<h3>${escapeHtml(title)}</h3><ul>${each.map(({ rule: name, reason }) => `<li><b>${escapeHtml(name)}.</b> ${escapeHtml(reason)}</li>`).join('')}</ul>`
  return {
    html:
      `<section class="report review"><p class="client">${escapeHtml(companyName)}</p><h2>Review</h2>` +
      `<p class="days">${escapeHtml(period)}</p>` +
      table +
      lines('Not checked', notChecked) +
      lines('Switched off', off) +
      (clean.length === 0
        ? ''
        : `<h3>Checked, nothing found</h3><p class="clean">${escapeHtml(clean.join(' · '))}</p>`) +
      '</section>',
    css: REVIEW_STYLE,
    page: {
      name: 'review',
      orientation: 'portrait',
      header: [companyName, 'Review', period].join(' · '),
    },
  }
}

const REVIEW_STYLE = `
.review table { width: 100%; }
.review th p, .review td p { margin: 0; font-weight: normal; color: #555; }
.review tbody th { font-weight: normal; vertical-align: top; width: 46%; white-space: normal; }
.review tbody td { vertical-align: top; padding-left: 10pt; }
.review td.text { text-align: left; white-space: normal; width: 37%; }
.review thead th.text { text-align: left; padding-left: 10pt; }
.review td.open { font-weight: 600; }
.review tr { break-inside: avoid; }
.review tr.rule { break-after: avoid; }
.review tr.rule th { padding-top: 6pt; font-weight: 600; border-bottom: 0.5pt solid #bbb; }
.review h3 { margin: 12pt 0 3pt; font-size: 10pt; break-after: avoid; }
.review ul { margin: 0; padding-left: 12pt; }
.review li { margin-bottom: 2pt; break-inside: avoid; overflow-wrap: anywhere; }
`

/** Creates the first sheet of the workbook, with the review. */
export function reviewSheet(review: PackedReview): WorkbookSheet {
  const { companyName, period, signature, note, findings, notChecked, off, clean } = review
  const look = { ...PLAIN, wraps: true } as const
  const rows: SheetRow[] = [
    ...findings.map((finding) => ({
      cells: [
        finding.group,
        finding.rule,
        finding.subject,
        finding.side === '' ? finding.amount : finding.amount.replace('-', ''),
        balanceSide(finding.amount, finding.side),
        finding.detail,
        finding.decision,
        finding.note,
        finding.by,
        finding.at,
      ],
      look,
    })),
    ...notChecked.map(({ rule, reason }) => ({
      cells: ['Not checked', rule, '', '', '', reason, '', '', '', ''],
      look,
    })),
    ...off.map(({ rule, reason }) => ({
      cells: ['Switched off', rule, '', '', '', reason, '', '', '', ''],
      look,
    })),
    ...clean.map((rule) => ({ cells: ['Nothing found', rule, '', '', '', '', '', '', '', ''], look })),
  ]
  return {
    name: 'Review',
    above: [
      { cells: [companyName], look: TITLE },
      { cells: ['Review'], look: { ...PLAIN, role: 'title' } },
      { cells: [period], look: NOTE },
      { cells: [signature], look: NOTE },
      ...(note === '' ? [] : [{ cells: [note], look: NOTE }]),
      { cells: [], look: NOTE },
    ],
    columns: [
      { heading: 'Group', kind: 'text', width: 14 },
      { heading: 'Rule', kind: 'text', width: 26 },
      { heading: 'Account or name', kind: 'text', width: 28 },
      { heading: 'Amount', kind: review.hasCents ? 'amount' : 'integer', width: 13 },
      { heading: 'Dr/Cr', kind: 'text', width: 6 },
      { heading: 'What was found', kind: 'text', width: 40 },
      { heading: 'Decision', kind: 'text', width: 14 },
      { heading: 'Note', kind: 'text', width: 28 },
      { heading: 'By', kind: 'text', width: 12 },
      { heading: 'When', kind: 'moment', width: 17 },
    ],
    rows: () => once(rows),
    frozenColumns: 0,
    hasFilter: true,
    print: { orientation: 'landscape', header: '', footer: `${companyName} - Review - ${period}` },
  }
}
