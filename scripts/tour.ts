// `npm run tour [-- --out=DIR]`: walks through the program on the sample and keeps a picture of every screen, in
// docs/images unless told otherwise. `npm start` does the same where there is no display.
import type { Page } from '@playwright/test'
import { mkdir } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { Program } from '../test/e2e/fixture-program.ts'
import { steps, views } from '../test/e2e/tour/steps.ts'
import { buildIfNeeded } from './parts/build.ts'
import { installedElectron, sandboxSwitches } from './parts/electron-runtime.ts'
import { projectFolder, say } from './parts/process.ts'
import { openSurroundings } from './parts/surroundings.ts'
import { setUp } from './setup.ts'

/** Takes the pictures into `folder` and prints their names. 0 when every step was reached. */
export async function tour(folder: string): Promise<number> {
  const electron = await installedElectron()
  await setUp({ electron, ownKeyring: true, virtualScreen: electron !== undefined })
  await buildIfNeeded()
  await mkdir(folder, { recursive: true })

  const around = await openSurroundings({ keys: 'temporary', screen: electron !== undefined })
  const program = new Program()
  try {
    const flags = electron === undefined ? [] : await sandboxSwitches(electron)
    const { window } = await program.start({ flags, env: around.env })
    await walk(window, folder)
    await program.stop()
    return 0
  } catch (error) {
    say(`The tour stopped: ${error instanceof Error ? error.message : String(error)}`)
    return 1
  } finally {
    await program.dispose()
    await around.close()
  }
}

async function walk(page: Page, folder: string): Promise<void> {
  page.setDefaultTimeout(15_000)
  for (const step of steps) {
    const [usual] = views
    await page.setViewportSize(usual)
    await step.go(page)
    for (const view of views.filter(({ small }) => !small || step.alsoSmall)) {
      await page.setViewportSize(view)
      await page.emulateMedia({ colorScheme: view.colorScheme, reducedMotion: 'reduce' })
      const path = join(folder, `${step.name}-${view.name}.png`)
      await page.screenshot({ path, animations: 'disabled' })
      say(`${relative(projectFolder, path)}  ${step.shows}`)
    }
  }
}

if (process.argv[1] === import.meta.filename) {
  const named = process.argv.slice(2).find((flag) => flag.startsWith('--out='))
  const folder = named === undefined ? join('docs', 'images') : named.slice('--out='.length)
  process.exitCode = await tour(resolve(projectFolder, folder))
}
