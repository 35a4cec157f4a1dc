/** The window's beginning: makes the api, the session and the router once, and shows the window. */
import './ui/styles/tokens.css'
import './ui/styles/base.css'
import { mount } from 'svelte'
import { createApi } from './api.ts'
import App from './App.svelte'
import { Breakdown } from './frame/breakdown.svelte.ts'
import { Router } from './frame/router.svelte.ts'
import { Session } from './frame/session.svelte.ts'
import StartFailed from './frame/StartFailed.svelte'
import { refuseStrayDrops } from './frame/shortcuts.ts'
import { watchTyping } from './ui/focus.ts'

async function start(target: HTMLElement): Promise<void> {
  const api = createApi(window.bookbridge)
  // As long as the window lives, from before anything can go wrong.
  const breakdown = new Breakdown(api)
  breakdown.listen(window)
  refuseStrayDrops(window)
  watchTyping(document)
  const session = await Session.open(api)
  if (!session.ok) {
    mount(StartFailed, { target, props: { error: session.error } })
    return
  }
  const router = new Router(window)
  // Both listen as long as the window lives.
  session.value.listen()
  router.listen()
  mount(App, { target, props: { session: session.value, router, breakdown } })
}

const target = document.querySelector<HTMLElement>('#app')
if (target) void start(target)
