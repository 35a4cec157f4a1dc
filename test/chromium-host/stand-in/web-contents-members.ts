/** What of Electron's `webContents` the host has. */
import type { WebContents } from 'electron'

/** The events that may be listened to; those that only Electron has reason to send never come. */
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

/** The members that the compiler holds to Electron's typings; the others deal in stand-ins of their own. */
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
