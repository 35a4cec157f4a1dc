/** Defines a step of the tour, and how its pictures are taken. */
import type { ElectronApplication, Locator, Page } from '@playwright/test'
import type { PlainService } from '../support/plain-service.ts'
import type { Program } from '../support/program.ts'
import type { Service } from '../support/service.ts'
import type { TourClock } from './clock.ts'

/** How a picture is taken. At 200 %, a window lays out like one of half its size. */
export const VIEWS = {
  light: { colorScheme: 'light', width: 1366, height: 800 },
  dark: { colorScheme: 'dark', width: 1366, height: 800 },
  narrow: { colorScheme: 'light', width: 900, height: 700 },
  '200-percent': { colorScheme: 'light', width: 683, height: 400 },
} as const

/** The window for the pictures in the docs: shorter, so that they load fast. */
export const DOCS_SIZE = { width: 1366, height: 700 }

export type View = keyof typeof VIEWS

/** What a step can use besides the window’s page. */
export interface Stage {
  readonly page: Page
  readonly clock: TourClock
  readonly program: Program
  readonly electronApp: ElectronApplication
  /** A service on this computer that can be told to fail, for what the sample never does. */
  readonly service: Service
  /** A service with forty clients, some with long names. */
  readonly clients: PlainService
}

export interface Step {
  /** The picture's name: `companies` becomes `companies-light.png`, and so on. */
  readonly name: string
  /** What the picture shows, for the tour's output. */
  readonly shows: string
  /**
   * Goes there from the end of the previous step. Returns the picture's subject, which must be visible before and after
   * each picture.
   */
  readonly go: (page: Page, stage: Stage) => Promise<Locator>
  /** The pictures in the docs. A tour into another folder takes light and dark ones of every step. */
  readonly inDocs: readonly ('light' | 'dark')[]
  /** Whether narrow and 200 % pictures are taken, too, in a tour into another folder. */
  readonly alsoSmall?: true
}
