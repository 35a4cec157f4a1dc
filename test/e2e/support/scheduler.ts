import { mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Programs that replace the system's: a crontab in a file, and no systemd. */
export function crontabInFile(folder: string) {
  const crontab = join(folder, 'crontab.txt')
  mkdirSync(folder, { recursive: true })
  const write = (name: string, text: string): void => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  }
  write('systemctl', 'exit 1')
  write(
    'crontab',
    `if [ "$1" = -l ]; then cat '${crontab}' 2>/dev/null || { echo "no crontab for kim" >&2; exit 1; }\n` +
      `else cat > '${crontab}'; fi`,
  )
  return { crontab, env: { PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}` } }
}
