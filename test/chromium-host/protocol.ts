/**
 * The types of Chromium's DevTools protocol, as Playwright ships them. Playwright exports them only from this file, so
 * only this file has the path. Types only.
 */
import type { Protocol } from '../../node_modules/playwright-core/types/protocol.d.ts'

export type { Protocol }
export type Command = keyof Protocol.CommandParameters
export type Parameters<C extends Command> = Protocol.CommandParameters[C]
export type Answer<C extends Command> = Protocol.CommandReturnValues[C]
export type EventName = keyof Protocol.Events
export type EventPayload<E extends EventName> = Protocol.Events[E]
