// `npm run tour [-- --out=DIR [STEP…]]`: walks through the program with the sample and takes pictures: those for the
// docs, in docs/images, or every step in both themes, in DIR. With names of steps, or their beginnings, only those.
// `npm start` takes all pictures without a display. The program's clock is stopped, so that the same program always
// gives the same pictures.
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { expect, type Locator, type Page } from '@playwright/test'
import { PlainService } from '../test/e2e/support/plain-service.ts'
import { Program } from '../test/e2e/support/program.ts'
import { crontabInFile } from '../test/e2e/support/scheduler.ts'
import { startService } from '../test/e2e/support/service.ts'
import { MACHINE, stopTime } from '../test/e2e/tour/clock.ts'
import { DOCS_SIZE, type Stage, type Step, type View, VIEWS } from '../test/e2e/tour/step.ts'
import { steps } from '../test/e2e/tour/steps.ts'
import { FORTY_CLIENTS } from '../test/e2e/tour/steps-clients.ts'
import { buildIfNeeded } from './parts/build.ts'
import { openDesktopServices } from './parts/desktop-services.ts'
import { installedElectron, sandboxSwitches } from './parts/electron-runtime.ts'
import { looksTheSame } from './parts/picture.ts'
import { printLine, projectFolder } from './parts/process.ts'
import { setUp } from './setup.ts'

/** The time limit of each wait in a step. A busy machine needs this long to print packs. */
const STEP_TIMEOUT_MS = 120_000
/** Longer than an event takes to reach the window, and shorter than a tick of a clock on screen. */
const STABLE_MS = 200

interface Album {
  readonly folder: string
  /** Whether it is the folder of the docs’ pictures, which has no other files. */
  readonly isDocs: boolean
  /** Which pictures are taken of a step. */
  readonly viewsOf: (step: Step) => readonly View[]
}

/** Every step in both themes, and some also in a small window. @param named only steps that begin like these */
function wholeAlbum(folder: string, named: readonly string[] = ['']): Album {
  return {
    folder,
    isDocs: false,
    viewsOf: ({ name, alsoSmall }) =>
      named.some((beginning) => name.startsWith(beginning))
        ? ['light', 'dark', ...(alsoSmall ? (['narrow', '200-percent'] as const) : [])]
        : [],
  }
}

/** Takes the pictures and prints their names. Returns 0 if every step was reached. */
export async function tour(folder: string): Promise<number> {
  return runTour(wholeAlbum(folder))
}

async function runTour(album: Album): Promise<number> {
  const electron = await installedElectron()
  await setUp({ electron, ownKeyring: true, virtualScreen: electron !== undefined })
  await buildIfNeeded()
  await mkdir(album.folder, { recursive: true })

  const services = await openDesktopServices({ keys: 'temporary', screen: electron !== undefined })
  const program = new Program()
  const service = await startService()
  const clients = await PlainService.start(FORTY_CLIENTS)
  const scheduler = await mkdtemp(join(tmpdir(), 'bookbridge-tour-'))
  try {
    const flags = electron === undefined ? [] : await sandboxSwitches(electron)
    const env = { ...services.env, ...MACHINE, ...crontabInFile(scheduler).env }
    const { window, electronApp } = await program.start({ flags, env })
    const clock = await stopTime(electronApp, window)
    const taken = await takeAllPictures(
      { page: window, clock, program, electronApp, service, clients },
      album,
    )
    await program.stop()
    if (album.isDocs) await deleteOtherPictures(album.folder, taken)
    return 0
  } catch (error) {
    printLine(`The tour stopped: ${messageOf(error)}`)
    await saveFailureScreenshot(program)
    return 1
  } finally {
    await program.dispose()
    await services.close()
    await Promise.all([service.stop(), clients.close()])
    await rm(scheduler, { recursive: true, force: true })
  }
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : `${error.message}: ${messageOf(error.cause)}`
}

/** Takes a picture of the screen where the tour stopped. */
async function saveFailureScreenshot(program: Program): Promise<void> {
  const path = join(projectFolder, 'out', 'tour-stopped.png')
  const [page] = program.windows()
  const isKept = await page?.screenshot({ path, timeout: 5_000 }).then(
    () => true,
    () => false,
  )
  if (isKept === true) printLine(`${relative(projectFolder, path)}  What was on screen then`)
}

/** Returns the names of the pictures that were taken. */
async function takeAllPictures(stage: Stage, album: Album): Promise<ReadonlySet<string>> {
  const { page, clock } = stage
  page.setDefaultTimeout(STEP_TIMEOUT_MS)
  const taken = new Set<string>()
  const last = steps.findLastIndex((step) => album.viewsOf(step).length > 0)
  for (const step of steps.slice(0, last + 1)) {
    await page.setViewportSize(VIEWS.light)
    await clock.pass(60)
    const subject = await step.go(page, stage).catch((cause: unknown) => {
      throw new Error(`“${step.name}” was not reached`, { cause })
    })
    // Whatever a step starts must finish within its minute, even if no picture is taken.
    await page.evaluate(waitUntilStable, STABLE_MS)
    for (const view of album.viewsOf(step)) {
      const name = `${step.name}-${view}.png`
      await page.setViewportSize(album.isDocs ? DOCS_SIZE : VIEWS[view])
      await page.emulateMedia({ colorScheme: VIEWS[view].colorScheme, reducedMotion: 'reduce' })
      await takePicture(page, subject, join(album.folder, name))
      taken.add(name)
      printLine(`${relative(projectFolder, join(album.folder, name))}  ${step.shows}`)
    }
    await subject.waitFor()
  }
  return taken
}

async function takePicture(page: Page, subject: Locator, path: string): Promise<void> {
  // A grid draws its rows again in a window of another size, on a busy computer also after that.
  await expect(async () => {
    await page.evaluate(waitUntilStable, STABLE_MS)
    await subject.scrollIntoViewIfNeeded()
  }).toPass({ timeout: STEP_TIMEOUT_MS })
  // Nothing in the corner reacts to the mouse.
  await page.mouse.move(0, 0)
  await page.evaluate(waitUntilStable, STABLE_MS)
  const taken = await page.screenshot({ animations: 'disabled' })
  const kept = existsSync(path) ? await readFile(path) : null
  if (kept === null || !looksTheSame(kept, taken)) await writeFile(path, taken)
}

/** Runs in the page. Resolves when nothing in it has changed for a while. */
function waitUntilStable(milliseconds: number): Promise<void> {
  return new Promise((quiet) => {
    const end = (): void => {
      observer.disconnect()
      quiet()
    }
    let timer = setTimeout(end, milliseconds)
    const observer = new MutationObserver(() => {
      clearTimeout(timer)
      timer = setTimeout(end, milliseconds)
    })
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
  })
}

/** Deletes pictures of steps that are no longer in the tour. */
async function deleteOtherPictures(folder: string, taken: ReadonlySet<string>): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.endsWith('.png') && !taken.has(name)) await rm(join(folder, name))
  }
}

if (process.argv[1] === import.meta.filename) {
  const words = process.argv.slice(2)
  const out = words.find((word) => word.startsWith('--out='))
  const named = words.filter((word) => !word.startsWith('--'))
  process.exitCode = await runTour(
    out === undefined
      ? { folder: join(projectFolder, 'docs', 'images'), isDocs: true, viewsOf: ({ inDocs }) => inDocs }
      : wholeAlbum(resolve(projectFolder, out.slice('--out='.length)), named.length === 0 ? [''] : named),
  )
}
