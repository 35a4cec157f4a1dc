// The bridge of the host's own test program: a call, a message, a listener.
const { contextBridge, ipcRenderer } = require('electron')

contextBridge.exposeInMainWorld('bridge', {
  call: (channel, value) => ipcRenderer.invoke(channel, value),
  say: (text) => ipcRenderer.send('say', text),
  sum: (first, second) => first + second,
  platform: process.platform,
  on: (channel, listener) => {
    const heard = (_event, value) => listener(value)
    ipcRenderer.on(channel, heard)
    return () => ipcRenderer.removeListener(channel, heard)
  },
})
