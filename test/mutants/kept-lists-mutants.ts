import type { Mutants } from './mutant.ts'

export const mutants: Mutants = {
  'electron/rows/records/kept-set.ts': [
    {
      breaks: 'a group that a crash cut off is read as part of the list',
      text: 'if (content === null) break',
      instead: 'if (content === null) continue',
    },
    {
      breaks: 'a change that a crash tore costs the whole copy',
      text: 'const content = this.#readIfWhole(frame)',
      instead: 'const content: Buffer | null = this.read(frame)',
    },
    {
      breaks: 'what a crash left behind stays in the file',
      text: 'file.cut(last.to)',
      instead: '',
    },
    {
      breaks: 'frames can be taken over from another file',
      text: 'this.#identity = Buffer.concat([fileId, Buffer.from(basename(path))])',
      instead: 'this.#identity = Buffer.from(basename(path))',
    },
    {
      breaks: 'a file can take the place of another list’s',
      text: 'this.#identity = Buffer.concat([fileId, Buffer.from(basename(path))])',
      instead: 'this.#identity = fileId',
    },
    {
      breaks: 'what changed since is not merged into the list',
      text: 'for (const changed of this.#groups) this.set.merge(changed)',
      instead: '',
    },
    {
      breaks: 'a new copy never takes the place of the old one',
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
      breaks: 'a copy of another service is shown',
      text: '!read.success || read.data.address !== this.#options.address(company.connectionId)',
      instead: '!read.success',
    },
    {
      breaks: 'changes that came in part are kept and move the time of the copy',
      text: 'if (!changed.isWhole) return',
      instead: '',
    },
    {
      breaks: 'a company that keeps no copies has them',
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
