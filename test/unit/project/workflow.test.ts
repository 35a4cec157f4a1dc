/** The public workflow, as far as it can be tested here: it is parsed as YAML, and what it runs exists. */
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')
const ofBuilder = createRequire(
  createRequire(createRequire(import.meta.url).resolve('electron-builder')).resolve('app-builder-lib'),
)
const { load } = ofBuilder('js-yaml') as { load: (text: string) => unknown }

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly if?: string
  readonly env?: Readonly<Record<string, string>>
  readonly with?: Readonly<Record<string, unknown>>
}
interface Job {
  readonly needs?: string
  readonly if?: string
  readonly environment?: string
  readonly permissions?: Readonly<Record<string, string>>
  readonly 'timeout-minutes'?: number
  readonly env?: Readonly<Record<string, string>>
  readonly strategy?: { readonly matrix: { readonly os: readonly string[] } }
  readonly steps: readonly Step[]
}
interface Workflow {
  readonly on: Readonly<Record<string, unknown>>
  readonly permissions: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, Job>>
}

const text = readFileSync(join(root, '.github/workflows/ci.yml'), 'utf8')
const workflow = load(text) as Workflow
const jobs = Object.entries(workflow.jobs)
const SYSTEMS = ['ubuntu-latest', 'windows-latest', 'macos-latest']

describe('the public workflow', () => {
  test('is one file with only known keys', () => {
    expect(readdirSync(join(root, '.github/workflows'))).toEqual(['ci.yml'])
    expect(Object.keys(workflow).toSorted()).toEqual(['jobs', 'name', 'on', 'permissions'])
    expect(Object.keys(workflow.on).toSorted()).toEqual(['pull_request', 'push'])
    const known = [
      'environment',
      'if',
      'needs',
      'permissions',
      'runs-on',
      'steps',
      'strategy',
      'timeout-minutes',
    ]
    for (const [, job] of jobs) expect(Object.keys(job).filter((key) => !known.includes(key))).toEqual([])
    const ofStep = ['env', 'if', 'run', 'uses', 'with']
    for (const step of jobs.flatMap(([, job]) => job.steps)) {
      expect(Object.keys(step).filter((key) => !ofStep.includes(key))).toEqual([])
      expect([step.run, step.uses].filter((each) => each !== undefined)).toHaveLength(1)
    }
  })

  test('runs commands that exist, and those that .ci/run runs, on three systems', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object }
    const runs = jobs.flatMap(([, { steps }]) => steps.map(({ run = '' }) => run))
    const named = runs.flatMap((run) => [...run.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name))
    expect(named.filter((name) => !(name in scripts))).toEqual([])
    expect(runs).toEqual(
      expect.arrayContaining([
        'npm ci',
        'npm run check',
        'npm test',
        'npm run test:electron',
        'npm run package',
      ]),
    )
    expect(workflow.jobs['test']?.strategy?.matrix.os).toEqual(SYSTEMS)
    expect(workflow.jobs['package']?.strategy?.matrix.os).toEqual(SYSTEMS)
    expect(workflow.jobs['sign']?.strategy?.matrix.os).toEqual(SYSTEMS)
  })

  test('refers only to what exists, has time limits, and pins each action by one commit per version', () => {
    for (const [, job] of jobs) {
      if (job.needs !== undefined) expect(Object.keys(workflow.jobs)).toContain(job.needs)
      expect(job['timeout-minutes']).toBeLessThanOrEqual(60)
      for (const { uses } of job.steps)
        if (uses !== undefined) expect(uses).toMatch(/^actions\/[a-z-]+@[0-9a-f]{40}$/)
    }
    const lines = text.split('\n').filter((line) => line.includes('uses:'))
    expect(lines.filter((line) => !/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([])
    const actions = new Set(lines.map((line) => /actions\/[a-z-]+/.exec(line)?.[0]))
    expect(new Set(lines.map((line) => line.replace(/^.*uses: /, ''))).size).toBe(actions.size)
    // Brackets of every expression are closed.
    expect(text.split('${{').length).toBe(text.split('}}').length)
    expect(
      [...text.matchAll(/\$\{\{(.*?)\}\}/g)].every(
        ([, inner = '']) => (inner.match(/'/g) ?? []).length % 2 === 0,
      ),
    ).toBe(true)
  })

  test('leaves no credentials in the checkout, and caches nothing', () => {
    for (const { uses, with: given } of jobs.flatMap(([, job]) => job.steps)) {
      if (uses?.startsWith('actions/checkout@')) expect(given).toEqual({ 'persist-credentials': false })
      if (uses?.startsWith('actions/setup-node@'))
        expect(given).toEqual({ 'node-version': 24, 'package-manager-cache': false })
      expect(uses ?? '').not.toContain('cache')
    }
  })

  test('writes only a draft of a release, from a tag', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' })
    expect(jobs.flatMap(([name, { permissions }]) => (permissions ? [[name, permissions]] : []))).toEqual([
      ['release', { contents: 'write' }],
    ])
    expect(workflow.jobs['release']?.if).toBe("startsWith(github.ref, 'refs/tags/v')")
    expect(workflow.jobs['release']?.needs).toBe('sign')
    expect(Object.keys(workflow.on)).not.toContain('pull_request_target')
  })

  test('passes secrets to only one step, which signs, from a tag, in the protected environment', () => {
    const seeing = jobs.flatMap(([name, job]) =>
      job.steps.filter((step) => /secrets\b/.test(JSON.stringify(step))).map((step) => ({ name, job, step })),
    )
    expect(seeing.map(({ name, step }) => [name, step.run])).toEqual([['sign', 'npm run package']])
    const [{ job, step } = { job: undefined, step: undefined }] = seeing
    expect(job?.environment).toBe('release')
    expect(job?.if).toBe("startsWith(github.ref, 'refs/tags/v')")
    const { steps: _steps, ...around } = job ?? { steps: [] }
    expect(JSON.stringify(around)).not.toMatch(/secrets\b/)
    // Each secret belongs to one system, and `secrets` is used only in this step.
    const values = Object.values(step?.env ?? {}).filter((value) => value.includes('secrets.'))
    for (const value of values)
      expect(value).toMatch(
        /^\$\{\{ matrix\.os == '(macos|windows)-latest' && secrets\.[A-Z_]+ \|\| '' \}\}$/,
      )
    expect(text.match(/secrets\./g)).toHaveLength(values.length)
  })
})

describe('what npm installs', () => {
  const read = (name: string): unknown => JSON.parse(readFileSync(join(root, name), 'utf8'))
  const { packages } = read('package-lock.json') as {
    packages: Readonly<
      Record<string, { integrity?: string; resolved?: string; link?: boolean; hasInstallScript?: boolean }>
    >
  }
  const installed = Object.entries(packages).filter(([path]) => path !== '')

  test('must match the lock file’s checksums', () => {
    const loose = installed.filter(
      ([, { integrity = '', resolved, link }]) =>
        !integrity.startsWith('sha512-') || resolved !== undefined || link === true,
    )
    expect(loose.map(([path]) => path)).toEqual([])
  })

  test('runs no code during the installation, and each package that would is known', () => {
    expect(readFileSync(join(root, '.npmrc'), 'utf8').split('\n')).toContain('ignore-scripts=true')
    const { allowScripts } = read('package.json') as { allowScripts: Readonly<Record<string, boolean>> }
    const scripted = installed.filter(([, { hasInstallScript }]) => hasInstallScript === true)
    expect(Object.fromEntries(scripted.map(([path]) => [path.split('node_modules/').at(-1), false]))).toEqual(
      allowScripts,
    )
  })
})
