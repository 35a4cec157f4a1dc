/** The public workflow, as far as it can be shown without its machines: it is read as YAML, and what it runs exists. */
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const ofBuilder = createRequire(
  createRequire(createRequire(import.meta.url).resolve('electron-builder')).resolve('app-builder-lib'),
)
const { load } = ofBuilder('js-yaml') as { load: (text: string) => unknown }

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly if?: string
}
interface Job {
  readonly needs?: string
  readonly if?: string
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
  test('is one file, and all that its keys may be', () => {
    expect(readdirSync(join(root, '.github/workflows'))).toEqual(['ci.yml'])
    expect(Object.keys(workflow).toSorted()).toEqual(['jobs', 'name', 'on', 'permissions'])
    expect(Object.keys(workflow.on).toSorted()).toEqual(['pull_request', 'push'])
    const known = ['env', 'if', 'needs', 'permissions', 'runs-on', 'steps', 'strategy', 'timeout-minutes']
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
  })

  test('refers only to what is there, ends by itself, and names a version of each action', () => {
    for (const [, job] of jobs) {
      if (job.needs !== undefined) expect(Object.keys(workflow.jobs)).toContain(job.needs)
      expect(job['timeout-minutes']).toBeLessThanOrEqual(60)
      for (const { uses } of job.steps)
        if (uses !== undefined) expect(uses).toMatch(/^actions\/[a-z-]+@v\d+$/)
    }
    // Brackets of every expression are closed.
    expect(text.split('${{').length).toBe(text.split('}}').length)
    expect(
      [...text.matchAll(/\$\{\{(.*?)\}\}/g)].every(
        ([, inner = '']) => (inner.match(/'/g) ?? []).length % 2 === 0,
      ),
    ).toBe(true)
  })

  test('writes nothing but a draft of a release, from a tag, and shows a certificate to a tag alone', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' })
    const writing = jobs.filter(([, job]) => Object.values(job.permissions ?? {}).includes('write'))
    expect(writing.map(([name]) => name)).toEqual(['release'])
    expect(workflow.jobs['release']?.if).toBe("startsWith(github.ref, 'refs/tags/v')")
    expect(workflow.jobs['release']?.needs).toBe('package')
    const secret = text.split('\n').filter((line) => line.includes('secrets.'))
    expect(secret.length).toBeGreaterThan(0)
    for (const line of secret) expect(line).toContain("startsWith(github.ref, 'refs/tags/')")
    expect(text).not.toContain('pull_request_target')
  })
})
