/** Accessibility checks: axe on the window, and the two themes. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, type Page } from '@playwright/test'
import type axe from 'axe-core'
import type { RunOptions } from 'axe-core'
import { isDeep } from '../../seeds.ts'
import { call } from './bridge.ts'

/** Smaller than `axe.source`, which each window has to load. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * Returns axe's serious findings about the window as text, and leaves the window in the light theme. Only the deep run
 * measures contrast, in both themes, because that takes longest. `tokens.test.ts` computes the contrast of each text
 * color on each surface in both themes, and components have no colors of their own.
 */
export async function seriousViolations(window: Page): Promise<readonly string[]> {
  const dark: string[] = []
  if (isDeep) {
    await setTheme(window, 'dark')
    dark.push(...(await scan(window, ['color-contrast'])))
  }
  await setTheme(window, 'light')
  return [...dark.map((finding) => `dark: ${finding}`), ...(await scan(window))]
}

type AxeInPage = { readonly axe: typeof axe }

const DIALOG = '[role="dialog"][data-state="open"], [role="alertdialog"][data-state="open"]'

async function scan(window: Page, rules?: readonly string[]): Promise<readonly string[]> {
  if (!(await window.evaluate(() => 'axe' in globalThis))) await window.evaluate(AXE)
  await finishTransitions(window)
  // Only the open dialog is reachable. The screen behind it is scanned separately.
  const dialog = (await window.locator(DIALOG).count()) > 0 ? { include: [DIALOG] } : {}
  // The grid keeps the row of its column groups even if none is shown.
  const context = { ...dialog, exclude: ['.ag-header-row-group:not(:has([role="columnheader"]))'] }
  const chosen =
    rules === undefined ? { rules: { 'color-contrast': { enabled: isDeep } } } : { runOnly: [...rules] }
  // Describing each element that passes would take longer than the rules do.
  const options: RunOptions = { ...chosen, resultTypes: ['violations'], selectors: false }
  return window.evaluate(
    async ([context, options]) => {
      const { violations } = await (globalThis as unknown as AxeInPage).axe.run(context, options)
      return violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, help, nodes }) => {
          const elements = nodes.map(({ html }) => html.slice(0, 160)).join(' | ')
          return `${id}: ${help}: ${elements}`
        })
    },
    [context, options] as const,
  )
}

/** Finishes transitions, because a fading color has a lower contrast. Endless animations continue. */
async function finishTransitions(window: Page): Promise<void> {
  await window.evaluate(() => {
    const running = () =>
      document
        .getAnimations()
        .filter(
          ({ playState, effect }) =>
            playState === 'running' && effect?.getComputedTiming().endTime !== Infinity,
        )
    // A color that is inherited may start to fade once its parent’s has finished.
    for (let all = running(); all.length > 0; all = running()) all.forEach((each) => each.finish())
  })
}

/** Shows the window in a theme, as Settings does. */
async function setTheme(window: Page, theme: 'light' | 'dark'): Promise<void> {
  await call(window, 'settings.set', { theme: theme })
  await expect(window.locator('html')).toHaveAttribute('data-theme', theme)
}
