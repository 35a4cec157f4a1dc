// Whether the bridge is there before the page's first script.
globalThis.document.documentElement.dataset.bridge = typeof globalThis.bridge?.call
