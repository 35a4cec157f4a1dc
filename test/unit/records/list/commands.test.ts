// Commands of a list have the same names in the menu More and in the palette, which has them while they apply.
import { describe, expect, test } from 'vitest'
import { ScreenCommands, windowKey } from '../../../../renderer/frame/shortcuts.ts'
import { gridCommand } from '../../../../renderer/records/grid/keys.ts'
import { selectionKey } from '../../../../renderer/records/grid/selection/selection.svelte.ts'
import {
  moreEntries,
  paletteCommands,
  shortcutCommand,
} from '../../../../renderer/records/screen/list-commands.ts'
import { splitDestination } from '../../../../renderer/records/screen/progress.ts'
import type { RecordsController } from '../../../../renderer/records/screen/records-controller.svelte.ts'
import type { RecordsView } from '../../../../renderer/records/screen/records-view.svelte.ts'
import { standIn } from './stand-in.ts'

interface State {
  readonly hasDrafts?: boolean
  readonly isReviewing?: boolean
  readonly canUndo?: boolean
  readonly isBusy?: boolean
  readonly isSending?: boolean
  readonly isRead?: boolean
  readonly closedReason?: string
}

function view(state: State): RecordsView {
  const { hasDrafts = false, isReviewing = false, canUndo = false, isBusy = false, isRead = true } = state
  return standIn<RecordsView>({
    hasDrafts,
    isReviewing,
    chosen: hasDrafts ? [{}] : [],
    list: {
      sending: { isSending: state.isSending ?? false },
      object: 'customer',
      editing: { undoHistory: { canUndo, canRedo: false } },
      reader: { isBusy, set: isRead ? {} : null },
      update: { isOffered: isRead },
      closedReason: state.closedReason ?? '',
      isToGet: !isRead,
    },
  })
}

/** Pushes the name of each method that is called. */
function controller(state: State, done: string[] = []): RecordsController {
  const listView = view(state)
  return new Proxy(standIn<RecordsController>({}), {
    get: (_, name) => (name === 'view' ? listView : () => done.push(String(name))),
  })
}

const SEND = 'Send 1 change to Alder & Finch (Desktop)'
const labels = (state: State): string[] => paletteCommands(controller(state), SEND).map(({ label }) => label)

describe('the palette', () => {
  test('has exactly what can be done now', () => {
    expect(labels({})).toEqual([
      'Changed since',
      'Get again',
      'New customer',
      'Find and replace…',
      'Tidy up this list…',
      'History…',
      'Columns…',
    ])
    expect(labels({ hasDrafts: true, canUndo: true })).toEqual(
      expect.arrayContaining(['Review changes', SEND, 'Undo', 'Revert row', 'Revert all…']),
    )
    expect(labels({ hasDrafts: true, isReviewing: true })).toEqual(
      expect.arrayContaining(['Back to list', SEND]),
    )
    expect(labels({ hasDrafts: true, isSending: true })).not.toContain(SEND)
    expect(labels({ hasDrafts: true, closedReason: 'These books are locked.' })).not.toContain(SEND)
    expect(labels({ isRead: false })).toContain('Get records')
    expect(labels({ isRead: false, isBusy: true })).not.toContain('Get records')
    expect(labels({ closedReason: 'These books are locked.' })).not.toContain('New customer')
    expect(labels({ isRead: false })).not.toContain('Get again')
  })

  test('does what the menu does, under the same name', () => {
    const done: string[] = []
    const list = controller({ hasDrafts: true, canUndo: true }, done)
    const more = moreEntries(list, false).filter(({ disabled }) => disabled !== true)
    const palette = paletteCommands(list, SEND)
    for (const { label, onselect } of more) {
      onselect()
      palette.find((command) => command.label === label)?.run()
      const [inMenu, inPalette] = done.splice(0)
      expect(inPalette).toBe(inMenu)
    }
  })
})

test.each([
  ['Alder & Finch (Desktop)', ['Alder & Finch', '(Desktop)']],
  ['Alder (old) (Online)', ['Alder (old)', '(Online)']],
  ['Alder', ['Alder', '']],
])('Send may be shortened before the end of %s, but not in its application', (destination, parts) => {
  expect(splitDestination(destination)).toEqual(parts)
})

describe('the shortcuts of a list', () => {
  const pressed = (key: string, held: object = {}) => ({
    key,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    shiftKey: false,
    repeat: false,
    ...held,
  })

  test.each([
    ['h', {}, 'replace', null, 'replace'],
    ['h', { shiftKey: true }, 'showHistory', 'showHistory', null],
    ['f', {}, 'find', 'find', null],
    ['z', {}, 'undo', 'undo', null],
    ['z', { shiftKey: true }, 'redo', 'redo', null],
    ['y', {}, 'redo', 'redo', null],
    ['Enter', {}, 'nextStep', 'nextStep', null],
    ['Enter', { repeat: true }, null, null, null],
  ])('%s %j does what the shortcuts page says, with Ctrl, ⌘, and ⌃', (key, held, ctrl, command, control) => {
    expect(shortcutCommand(pressed(key, { ...held, ctrlKey: true }), false)).toBe(ctrl)
    expect(shortcutCommand(pressed(key, { ...held, metaKey: true }), true)).toBe(command)
    expect(shortcutCommand(pressed(key, { ...held, ctrlKey: true }), true)).toBe(control)
    expect(shortcutCommand(pressed(key, held), false)).toBeNull()
  })

  test.each(['h', 'm', 'q', 'w', ',', ' ', 'Tab'])('leave ⌘ %s to macOS', (key) => {
    for (const altKey of [false, true]) {
      const event = pressed(key, { metaKey: true, altKey })
      expect(windowKey(event, true)).toBeNull()
      expect(shortcutCommand(event, true)).toBeNull()
      expect(gridCommand(event, true)).toBeNull()
      expect(selectionKey(event)).toBeNull()
    }
  })
})

test('a screen’s commands disappear with it, unless another screen has set its own', () => {
  const commands = new ScreenCommands()
  const leave = commands.offer(() => [{ label: 'Undo', run: () => undefined }])
  const leaveOther = commands.offer(() => [{ label: 'Run', run: () => undefined }])
  leave()
  expect(commands.all.map(({ label }) => label)).toEqual(['Run'])
  leaveOther()
  expect(commands.all).toEqual([])
})
