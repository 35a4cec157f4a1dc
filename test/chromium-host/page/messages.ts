/** The messages between the host and the isolated world of a page, through a CDP binding and back. */

export interface Accelerator {
  readonly id: number
  /** `KeyboardEvent.key`, in lowercase. */
  readonly key: string
  readonly control: boolean
  readonly meta: boolean
  readonly alt: boolean
  readonly shift: boolean
}

/** These files of a message were read. */
type FilesRead = { readonly kind: 'read'; readonly files: readonly string[] }

export type FromPage = FilesRead | PageEvent

/** What the owner of a page learns from it. */
export type PageEvent =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'invoke'
      readonly call: number
      readonly channel: string
      readonly values: readonly unknown[]
    }
  | { readonly kind: 'send'; readonly channel: string; readonly values: readonly unknown[] }
  | { readonly kind: 'accelerator'; readonly id: number }
  | { readonly kind: 'key'; readonly input: KeyInput }
  | { readonly kind: 'title'; readonly title: string }
  | { readonly kind: 'focus'; readonly focused: boolean }
  | { readonly kind: 'bounds'; readonly bounds: Bounds }
  | { readonly kind: 'violation'; readonly text: string }

interface KeyInput {
  readonly type: 'keyDown' | 'keyUp'
  readonly key: string
  readonly code: string
  readonly isAutoRepeat: boolean
  readonly isComposing: boolean
  readonly shift: boolean
  readonly control: boolean
  readonly alt: boolean
  readonly meta: boolean
}

/** In CSS pixels, like Electron's device-independent pixels. */
interface Bounds {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export type ToPage =
  | { readonly kind: 'answer'; readonly call: number; readonly failed: boolean; readonly value: unknown }
  | { readonly kind: 'event'; readonly channel: string; readonly values: readonly unknown[] }
  | {
      readonly kind: 'state'
      readonly accelerators: readonly Accelerator[]
      /** The title that `setTitle` or a prevented `page-title-updated` keeps. */
      readonly heldTitle: string | undefined
      /** Whether the main process listens to `before-input-event`. */
      readonly wantsKeys: boolean
    }
