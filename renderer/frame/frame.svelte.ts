/** Which of the frame's dialogs are open, and the frame's commands: from the palette, the rail, and the application menu. */
import type { EventPayload } from '../../shared/contract/contract.ts'
import type { Toasts } from '../ui/notices/announcer.svelte.ts'
import type { WindowCommands } from './dialogs/entries.ts'
import type { PaletteEntry } from './dialogs/palette.ts'
import { type Router, showsOneCompany } from './router.svelte.ts'
import type { Session } from './session.svelte.ts'
import type { ScreenCommands } from './shortcuts.ts'

export class FrameState {
  isPaletteOpen = $state(false)
  /** The palette that offers only companies. */
  isCompanyPaletteOpen = $state(false)
  isShortcutListOpen = $state(false)
  /** **Find anywhere**, which `App.svelte` shows. */
  isFindOpen = $state(false)
  readonly commands: WindowCommands
  readonly #session: Session
  readonly #router: Router
  readonly #toasts: Toasts

  constructor(session: Session, router: Router, screenCommands: ScreenCommands, toasts: Toasts) {
    this.#session = session
    this.#router = router
    this.#toasts = toasts
    this.commands = {
      shortcuts: () => (this.isShortcutListOpen = true),
      guide: () => void this.#openGuide(),
      findAnywhere: () => (this.isFindOpen = true),
      sampleDesktop: () => (session.isSampleDesktopOpen = true),
      importRecords: () => router.go('records', this.#openList(), 'import'),
      exportRecords: () => router.go('records', this.#openList(), 'export'),
      get ofScreen() {
        return screenCommands.all
      },
      get list() {
        return screenCommands.list
      },
    }
  }

  /** Follows the application menu. Returns a function that stops it. */
  listen(): () => void {
    return this.#session.api.on('window.command', ({ command }) => {
      this.#run(command)
    })
  }

  /** Does what was chosen in a palette. */
  choose({ action }: PaletteEntry): void {
    switch (action.what) {
      case 'screen':
        this.#router.go(action.screen, ...(action.rest ?? []))
        return
      case 'company':
        this.#session.select(action.company)
        if (!showsOneCompany(this.#router.screen, this.#router.rest)) this.#router.go('records')
        return
      case 'book':
        this.#session.select(action.company)
        this.#router.go(action.screen, ...action.rest)
        return
      case 'run':
        action.run()
        return
    }
  }

  #run(command: EventPayload<'window.command'>['command']): void {
    switch (command) {
      case 'palette':
        this.isPaletteOpen = true
        return
      case 'find-anywhere':
        this.isFindOpen = true
        return
      case 'shortcuts':
        this.isShortcutListOpen = true
        return
      case 'guide':
        void this.#openGuide()
        return
      case 'settings':
        this.#router.go('settings')
        return
      case 'add-company':
        this.#router.go('companies', 'add')
        return
      case 'refresh':
        void this.#session.refreshCompanies()
        return
    }
  }

  /** Opens the guide at the page about this screen. */
  async #openGuide(): Promise<void> {
    const { screen } = this.#router
    const page = screen === 'settings' ? 'index' : screen
    const opened = await this.#session.api.call('app.openGuide', { page })
    if (!opened.ok) this.#toasts.show(`${opened.error.message} ${opened.error.advice}`)
  }

  #openList(): string {
    return (this.#router.screen === 'records' ? this.#router.rest[0] : undefined) ?? 'customer'
  }
}
