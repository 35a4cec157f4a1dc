/**
 * The types of Chromium's DevTools protocol, as Playwright carries them. It exports them only by way of this file,
 * so the path is written out here and nowhere else. Types alone: nothing of it is there at run time.
 */
import type { Protocol } from '../../node_modules/playwright-core/types/protocol.d.ts'

export type { Protocol }
export type Command = keyof Protocol.CommandParameters
export type Parameters<C extends Command> = Protocol.CommandParameters[C]
export type Answer<C extends Command> = Protocol.CommandReturnValues[C]
export type EventName = keyof Protocol.Events
export type EventPayload<E extends EventName> = Protocol.Events[E]
