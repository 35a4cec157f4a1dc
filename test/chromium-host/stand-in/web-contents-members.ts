/** The part of Electron's `webContents` that the host has. */
import type { WebContents } from 'electron'

/** The supported events. Some are emitted only by Electron and never occur here. */
export const WEB_CONTENTS_EVENTS = [
  'will-navigate',
  'will-frame-navigate',
  'will-redirect',
  'will-attach-webview',
  'will-prevent-unload',
  'did-start-loading',
  'did-start-navigation',
  'did-navigate',
  'did-navigate-in-page',
  'did-finish-load',
  'did-fail-load',
  'did-stop-loading',
  'did-create-window',
  'dom-ready',
  'page-title-updated',
  'render-process-gone',
  'unresponsive',
  'responsive',
  'preload-error',
  'console-message',
  'before-input-event',
  'context-menu',
  'destroyed',
  'ipc-message',
  'zoom-changed',
]

/** The members that must match Electron's typings. The others use the host's own stand-ins. */
export type HeldWebContents = Pick<
  WebContents,
  | 'id'
  | 'isDestroyed'
  | 'isCrashed'
  | 'isLoading'
  | 'loadURL'
  | 'getURL'
  | 'getTitle'
  | 'send'
  | 'reload'
  | 'focus'
  | 'close'
  | 'openDevTools'
  | 'isDevToolsOpened'
  | 'setWindowOpenHandler'
  | 'setZoomFactor'
  | 'getZoomFactor'
  | 'zoomFactor'
  | 'setZoomLevel'
  | 'getZoomLevel'
  | 'zoomLevel'
  | 'setVisualZoomLevelLimits'
  | 'printToPDF'
>
