import type { Mutants } from './mutant.ts'

export const mutants: Mutants = {
  'electron/rows/records/kept-set.ts': [
    {
      breaks: 'a group that a crash cut off is read as part of the list',
      text: 'if (content === null) break',
      instead: 'if (content === null) continue',
    },
    {
      breaks: 'a change that a crash cut off costs the whole copy',
      text: 'const content = this.#readIfWhole(frame)',
      instead: 'const content: Buffer | null = this.read(frame)',
    },
    {
      breaks: 'what a crash left behind stays in the file',
      text: 'file.cut(last.to)',
      instead: '',
    },
    {
      breaks: 'frames can be copied from another file',
      text: 'this.#identity = Buffer.concat([fileId, Buffer.from(basename(path))])',
      instead: 'this.#identity = Buffer.from(basename(path))',
    },
    {
      breaks: 'a file can take the place of another list’s',
      text: 'this.#identity = Buffer.concat([fileId, Buffer.from(basename(path))])',
      instead: 'this.#identity = fileId',
    },
    {
      breaks: 'changes since the last read are not merged into the list',
      text: 'for (const changed of this.#groups) this.set.merge(changed)',
      instead: '',
    },
    {
      breaks: 'a new copy never replaces the old one',
      text: 'if (!this.#isAppended) renameSync(partOf(this.#path), this.#path)',
      instead: '',
    },
  ],
  'electron/app/records/kept-files.ts': [
    {
      breaks: 'the key outlives its connection',
      text: 'await this.#options.secrets.remove(this.#serviceName, connectionId)',
      instead: '',
    },
  ],
  'electron/app/records/kept-lists.ts': [
    {
      breaks: 'a copy of another service’s list is shown',
      text: '!read.success || read.data.address !== this.#options.address(company.connectionId)',
      instead: '!read.success',
    },
    {
      breaks: 'incomplete changes are kept and advance the time of the copy',
      text: 'if (!changed.isWhole) return',
      instead: '',
    },
    {
      breaks: 'copies are kept for a company that keeps none',
      text: 'return this.#options.isKept(company) && !this.#isForgotten(company, since)',
      instead: 'return !this.#isForgotten(company, since)',
    },
    {
      breaks: 'a list that was being read when its company was deleted is kept',
      text: 'return this.#options.isKept(company) && !this.#isForgotten(company, since)',
      instead: 'return this.#options.isKept(company)',
    },
  ],
}
