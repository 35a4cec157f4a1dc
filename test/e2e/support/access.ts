/** Accessibility checks: axe on the window, and the two themes. */
import { call } from './bridge.ts'
import AxeBuilder from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'
import { isDeep } from '../../seeds.ts'

/**
 * Returns axe's serious findings about the window as text. Scans the light theme, in which it leaves the window; the
 * deep run also scans the dark theme for contrast, the only thing that a theme changes. `tokens.test.ts` computes the
 * contrast of each text color on each surface in both themes, and components have no colors of their own.
 */
export async function seriousViolations(window: Page): Promise<readonly string[]> {
  const dark: string[] = []
  if (isDeep) {
    await setTheme(window, 'dark')
    dark.push(...(await scan(window, (axe) => axe.withRules(['color-contrast']))))
  }
  await setTheme(window, 'light')
  return [...dark.map((finding) => `dark: ${finding}`), ...(await scan(window, (axe) => axe))]
}

const DIALOG = '[role="dialog"][data-state="open"], [role="alertdialog"][data-state="open"]'

async function scan(window: Page, narrowed: (axe: AxeBuilder) => AxeBuilder): Promise<readonly string[]> {
  // The program's page can't open another one, which axe does for frames. There are none.
  const axe = new AxeBuilder({ page: window })
    .setLegacyMode(true)
    // The grid keeps the row of its column groups even if none is shown.
    .exclude('.ag-header-row-group:not(:has([role="columnheader"]))')
  // Only the open dialog is reachable. The screen behind it is scanned separately.
  if (await window.locator(DIALOG).count()) axe.include(DIALOG)
  const { violations } = await narrowed(axe).analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
    )
}

/** Shows the window in a theme, as Settings does. */
async function setTheme(window: Page, theme: 'light' | 'dark'): Promise<void> {
  await call(window, 'settings.set', { theme: theme })
  await expect(window.locator('html')).toHaveAttribute('data-theme', theme)
}
