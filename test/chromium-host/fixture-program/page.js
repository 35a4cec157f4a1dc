// Whether the bridge is there before the page's first script.
document.documentElement.dataset.bridge = typeof window.bridge?.call
