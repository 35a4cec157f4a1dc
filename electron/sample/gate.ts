// One request at a time (section 8.1). A request is at work until its work ends, whoever still waits for it.

/** Lets one request in and counts the rest. */
export interface Gate {
  /** A function that ends the visit, or undefined when somebody is in already. */
  enter(): (() => void) | undefined
  readonly counts: GateCounts
  clear(): void
}

/** What has come to the gate. */
export interface GateCounts {
  readonly received: number
  /** The largest number of requests ever at work at the same time, refused ones included. */
  readonly mostAtOnce: number
  /** Refused because another was at work. */
  readonly refused: number
}

/** A gate with nobody in it. */
export function createGate(): Gate {
  let inside = 0
  let counts: GateCounts = { received: 0, mostAtOnce: 0, refused: 0 }
  return {
    enter: () => {
      const second = inside > 0
      counts = {
        received: counts.received + 1,
        mostAtOnce: Math.max(counts.mostAtOnce, inside + 1),
        refused: counts.refused + (second ? 1 : 0),
      }
      if (second) return undefined
      inside++
      let left = false
      return () => {
        if (left) return
        left = true
        inside--
      }
    },
    get counts() {
      return counts
    },
    clear: () => {
      counts = { received: 0, mostAtOnce: inside, refused: 0 }
    },
  }
}
