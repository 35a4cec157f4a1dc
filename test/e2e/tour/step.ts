/** What a step of the tour is, and how pictures are taken of it. */
import type { Locator, Page } from '@playwright/test'
import type { TourClock } from './clock.ts'

/** How a picture is taken. A window at 200 % lays out as one of half its size. */
export const VIEWS = {
  light: { colorScheme: 'light', width: 1366, height: 800 },
  dark: { colorScheme: 'dark', width: 1366, height: 800 },
  narrow: { colorScheme: 'light', width: 900, height: 700 },
  '200-percent': { colorScheme: 'light', width: 683, height: 400 },
} as const

/** The window of the pictures that the docs show: a little lower, so that they are light to load. */
export const DOCS_SIZE = { width: 1366, height: 700 }

export type View = keyof typeof VIEWS

export interface Step {
  /** The picture's name: `companies` becomes `companies-light.png` and its like. */
  readonly name: string
  /** What the picture shows, for the line that is printed. */
  readonly shows: string
  /**
   * Goes there from where the step before ended. Answers what the picture is about: it must be on screen before
   * and after each picture.
   */
  readonly go: (page: Page, clock: TourClock) => Promise<Locator>
  /** The pictures that the docs show; a tour into another folder takes light and dark of every step. */
  readonly inDocs: readonly ('light' | 'dark')[]
  /** Also narrow and at 200 %, in a tour into another folder. */
  readonly alsoSmall?: true
}
