/** Where a window may come back to: decided from its last place and the screens that are there. */
import type { Rectangle } from 'electron'
import { z } from 'zod'

const whole = z.number().int().min(-100_000).max(100_000)

export const placeSchema = z.object({
  /** In device-independent pixels, as it is when not maximised. */
  bounds: z.object({ x: whole, y: whole, width: whole.min(1), height: whole.min(1) }),
  isMaximized: z.boolean(),
})

export type WindowPlace = z.output<typeof placeSchema>

/** So much of the title bar has to be on a screen that the window can be taken hold of. */
const GRIP = { width: 160, height: 32 }

/**
 * The place if it can be used with these screens, else `null`: a second screen may be gone, or smaller than it was.
 * A window larger than its screen is made as large as that.
 */
export function placeOnScreens(place: WindowPlace, workAreas: readonly Rectangle[]): WindowPlace | null {
  const { x, y, width, height } = place.bounds
  const area = workAreas.find(
    (each) =>
      x + width >= each.x + GRIP.width &&
      x <= each.x + each.width - GRIP.width &&
      y >= each.y &&
      y <= each.y + each.height - GRIP.height,
  )
  if (area === undefined) return null
  const bounds = { x, y, width: Math.min(width, area.width), height: Math.min(height, area.height) }
  return { ...place, bounds }
}
