/** Starts the window: creates the API, the session, and the router once, and mounts the app. */
import './ui/styles/tokens.css'
import './ui/styles/base.css'
import { mount } from 'svelte'
import { createApi } from './api.ts'
import App from './App.svelte'
import { Router } from './frame/router.svelte.ts'
import { Session } from './frame/session.svelte.ts'
import { refuseStrayDrops } from './frame/shortcuts.ts'
import { DefectReporter } from './frame/start/defects.svelte.ts'
import StartFailed from './frame/start/StartFailed.svelte'
import { SCREENS } from './screens.ts'
import { watchTyping } from './ui/focus.ts'

async function start(target: HTMLElement): Promise<void> {
  const api = createApi(window.bookbridge)
  // First, so that nothing goes unreported.
  const defects = new DefectReporter(api)
  defects.listen(window)
  refuseStrayDrops(window)
  watchTyping(document)
  const router = new Router(window)
  // The router and the session listen for the life of the window.
  router.listen()
  const session = await Session.open(api, () => {
    // The screen loads while the main process answers. If it can't be loaded, the app shows why.
    SCREENS[router.screen]().catch(() => undefined)
  })
  // The first frame, which index.html has, gives way.
  target.replaceChildren()
  if (!session.ok) {
    mount(StartFailed, { target, props: { error: session.error } })
    return
  }
  session.value.listen()
  mount(App, { target, props: { session: session.value, router, defects } })
}

const target = document.querySelector<HTMLElement>('#app')
if (target) void start(target)
