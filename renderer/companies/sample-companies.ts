/** The companies that the sample opens with, as the first screen names them. A test compares them with the sample. */
import type { ShownBand } from '../ui/bands.ts'

export const SAMPLE_COMPANIES: readonly {
  readonly name: string
  /** The color that the list gives it. */
  readonly band: ShownBand
  readonly isOnline: boolean
}[] = [
  { name: 'Alder & Finch Builders', band: 'sea', isOnline: false },
  { name: 'Northgate Animal Hospital', band: 'ochre', isOnline: false },
  { name: 'Hollis & Vane Landscape Architects', band: 'indigo', isOnline: true },
]
