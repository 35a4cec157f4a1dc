/** Menus. None are drawn, but the accelerators of the application's menu work, and items can be clicked. */
import type { MenuItemConstructorOptions } from 'electron'
import type { Accelerator } from '../page/messages.ts'
import { HostEmitter, HostEvent, HostObject } from './strict.ts'

export class HostMenuItem extends HostObject {
  readonly id: string
  readonly label: string
  readonly role: string | undefined
  readonly type: string
  readonly accelerator: string | undefined
  readonly submenu: HostMenu | undefined
  enabled: boolean
  visible: boolean
  checked: boolean
  readonly #click: MenuItemConstructorOptions['click']

  constructor(options: MenuItemConstructorOptions) {
    super()
    const { id, label, role, accelerator, submenu, click } = options
    this.id = id ?? ''
    this.label = label ?? role ?? ''
    this.role = role
    this.type = options.type ?? (submenu ? 'submenu' : 'normal')
    this.accelerator = accelerator ?? undefined
    this.enabled = options.enabled ?? true
    this.visible = options.visible ?? true
    this.checked = options.checked ?? false
    if (Array.isArray(submenu)) this.submenu = HostMenu.buildFromTemplate(submenu)
    else if (submenu instanceof HostMenu) this.submenu = submenu
    else this.submenu = undefined
    this.#click = click
  }

  /** Acts like a click on the item, without the default action of its role. */
  click(_event?: unknown, window?: unknown): void {
    if (!this.enabled) return
    // The callback is Electron's; the item, window and event are stand-ins that it may use in the same way.
    const callback = this.#click as ((item: HostMenuItem, window: unknown, event: object) => void) | undefined
    callback?.(this, window, new HostEvent())
  }
}

export class HostMenu extends HostEmitter {
  readonly items: HostMenuItem[] = []
  static #application: HostMenu | null = null
  static #onChange: () => void = () => undefined

  constructor() {
    super('Menu', ['menu-will-show', 'menu-will-close'])
  }

  static buildFromTemplate(template: readonly (MenuItemConstructorOptions | HostMenuItem)[]): HostMenu {
    const menu = new HostMenu()
    for (const item of template) menu.append(item instanceof HostMenuItem ? item : new HostMenuItem(item))
    return menu
  }

  static setApplicationMenu(menu: HostMenu | null): void {
    HostMenu.#application = menu
    HostMenu.#onChange()
  }

  static getApplicationMenu(): HostMenu | null {
    return HostMenu.#application
  }

  /** For the windows: called when the application's menu was replaced. */
  static onChange(listener: () => void): void {
    HostMenu.#onChange = listener
  }

  append(item: HostMenuItem): void {
    this.items.push(item)
  }

  getMenuItemById(id: string): HostMenuItem | null {
    return this.all().find((item) => item.id === id) ?? null
  }

  popup(): void {
    throw new Error('The Chromium host has no Menu.popup')
  }

  /** Returns the items of this menu and of its submenus. */
  all(): HostMenuItem[] {
    return this.items.flatMap((item) => [item, ...(item.submenu?.all() ?? [])])
  }
}

const KEY_NAMES: Readonly<Record<string, string>> = {
  plus: '+',
  space: ' ',
  esc: 'escape',
  return: 'enter',
  up: 'arrowup',
  down: 'arrowdown',
  left: 'arrowleft',
  right: 'arrowright',
}

/** Converts `CmdOrCtrl+Shift+K` to the keys of an event. */
export function readAccelerator(id: number, text: string): Accelerator {
  const parts = text.toLowerCase().split('+')
  const last = parts.pop() ?? ''
  const has = (...names: string[]): boolean => names.some((name) => parts.includes(name))
  const isMac = process.platform === 'darwin'
  const either = has('cmdorctrl', 'commandorcontrol')
  return {
    id,
    key: KEY_NAMES[last] ?? last,
    control: has('ctrl', 'control') || (either && !isMac),
    meta: has('cmd', 'command', 'meta', 'super') || (either && isMac),
    alt: has('alt', 'option'),
    shift: has('shift'),
  }
}
