// `npm run conformance -- --url=ADDRESS --key=KEY [--legacy-url=ADDRESS] [--write]`: checks a service against the
// specification, section by section, one request at a time. Without --write, it only reads. Without --url, it checks the
// sample. To keep the key out of the list of processes, set BOOKBRIDGE_SERVICE_KEY instead.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  exitCode,
  onTerminationRequest,
  printLine,
  projectFolder,
  spawnWithParent,
  stop,
} from './parts/process.ts'

const USAGE = 'npm run conformance -- --url=ADDRESS --key=KEY [--legacy-url=ADDRESS] [--write]'
const FLAGS = {
  url: { type: 'string' },
  key: { type: 'string' },
  'legacy-url': { type: 'string' },
  write: { type: 'boolean' },
} as const

process.exitCode = await runConformance(process.argv.slice(2))

/** The suite's exit code: 0 if the service passes, 2 if the flags are invalid. */
async function runConformance(args: readonly string[]): Promise<number> {
  const asked = readFlags(args)
  if (typeof asked === 'string') {
    printLine(`${asked}\n${USAGE}`)
    return 2
  }
  const { BOOKBRIDGE_SERVICE_URL: url, BOOKBRIDGE_SERVICE_WRITE: write } = asked
  printLine(
    url === ''
      ? 'Walking the specification against the sample.'
      : `Walking the specification against ${url}: ${write === '1' ? 'reads AND WRITES' : 'reads only'}.`,
  )
  const child = spawnWithParent(
    process.execPath,
    [
      join(projectFolder, 'node_modules', 'vitest', 'vitest.mjs'),
      'run',
      'test/contract/conformance.test.ts',
      '--reporter=verbose',
    ],
    { cwd: projectFolder, stdio: 'inherit', env: { ...process.env, ...asked } },
  )
  const stopListening = onTerminationRequest(() => void stop(child, 5_000))
  const code = await exitCode(child)
  stopListening()
  return code
}

/** The suite's environment variables (test/contract/service-under-test.ts), or what is wrong with the flags. */
function readFlags(args: readonly string[]): Record<string, string> | string {
  try {
    const { values } = parseArgs({ args: [...args], options: FLAGS })
    const { url = '', 'legacy-url': legacyUrl = '', write = false } = values
    const key = values.key ?? process.env['BOOKBRIDGE_SERVICE_KEY'] ?? ''
    for (const address of [url, legacyUrl].filter((text) => text !== '')) {
      if (!/^https?:\/\//i.test(address) || !URL.canParse(address))
        return `"${address}" is no address of a service.`
    }
    if (url === '' && args.length > 0) return 'These flags go with --url.'
    if (url !== '' && key === '') return 'The key is missing.'
    return {
      BOOKBRIDGE_SERVICE_URL: url,
      BOOKBRIDGE_SERVICE_KEY: key,
      BOOKBRIDGE_SERVICE_LEGACY_URL: legacyUrl,
      BOOKBRIDGE_SERVICE_WRITE: write ? '1' : '',
    }
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause)
  }
}
