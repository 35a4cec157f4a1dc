/** The application menu: what the system expects, and our commands with their shortcuts. */
import { Menu, type MenuItemConstructorOptions } from 'electron'
import type { EventPayload } from '../../shared/contract/contract.ts'

type Command = EventPayload<'window.command'>['command']

/** A change of the text’s size, which Settings shows, too. */
export type SizeChange = 'larger' | 'smaller' | 'usual'

/** Has no developer tools and no reload. */
export function buildMenu(send: (command: Command) => void, resize: (change: SizeChange) => void): void {
  const command = (label: string, name: Command, accelerator?: string): MenuItemConstructorOptions => ({
    label,
    ...(accelerator === undefined ? {} : { accelerator }),
    click: () => {
      send(name)
    },
  })
  const size = (label: string, change: SizeChange, accelerator: string): MenuItemConstructorOptions => ({
    label,
    accelerator,
    click: () => {
      resize(change)
    },
  })
  const isMac = process.platform === 'darwin'
  const template: MenuItemConstructorOptions[] = [
    ...(isMac ? [{ role: 'appMenu' as const }] : []),
    {
      label: 'File',
      submenu: [
        command('Add company…', 'add-company'),
        command('Settings', 'settings', isMac ? 'Cmd+,' : undefined),
        { type: 'separator' },
        isMac ? { role: 'close' } : { role: 'quit' },
      ],
    },
    { role: 'editMenu' },
    {
      label: 'View',
      submenu: [
        command('Find or go to…', 'palette'),
        command('Find anywhere…', 'find-anywhere'),
        command('Refresh', 'refresh'),
        { type: 'separator' },
        size('Actual size', 'usual', 'CmdOrCtrl+0'),
        size('Larger text', 'larger', 'CmdOrCtrl+Plus'),
        size('Smaller text', 'smaller', 'CmdOrCtrl+-'),
        // The same key without Shift.
        { ...size('Larger text', 'larger', 'CmdOrCtrl+='), visible: false, acceleratorWorksWhenHidden: true },
        { type: 'separator' },
        { role: 'togglefullscreen' },
      ],
    },
    { role: 'windowMenu' },
    { role: 'help', submenu: [command('Guide', 'guide'), command('Keyboard shortcuts', 'shortcuts')] },
  ]
  Menu.setApplicationMenu(Menu.buildFromTemplate(template))
}
