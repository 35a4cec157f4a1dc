/**
 * **Add company**: the person's choices over five steps, and the set-up that follows from them. The set-up itself
 * is the main process's and outlives the dialog and the program; this only shows it and speaks for the person.
 */
import type { CallInput } from '../../../shared/contract.ts'
import type { Company, Provisioning } from '../../../shared/contract/companies.ts'
import type { AppError, Result } from '../../../shared/result.ts'
import type { Api } from '../../api.ts'
import { isoNow } from '../moment.ts'
import {
  chosenUserId,
  problemsOf,
  STEPS,
  stepOf,
  type Choices,
  type Place,
  type Problems,
  type Step,
} from './steps.ts'

interface Ports {
  readonly api: Api
  readonly connectionId: string
}

export class AddCompany {
  application = $state('')
  user = $state('')
  pastedUserId = $state('')
  file = $state('')
  place = $state<Place>('here')
  /** The reminders of step 3 that the person ticked. */
  ticked = $state.raw<readonly string[]>([])
  #step = $state<Step>(1)
  /** The step at which **Continue** was tried: its problems are said from then on. */
  #asked = $state<Step | null>(null)
  #provisioning = $state.raw<Provisioning | null>(null)
  #madeUser = $state.raw<{ readonly userId: string; readonly at: string } | null>(null)
  #error = $state.raw<AppError | null>(null)
  #isBusy = $state(false)
  readonly #ports: Ports

  readonly choices: Choices = $derived({
    application: this.application,
    user: this.user,
    pastedUserId: this.pastedUserId,
    file: this.file,
    place: this.place,
  })
  /** What keeps the step from going on; only said once the person tried to. */
  readonly problems: Problems = $derived(
    this.#asked === this.#step ? problemsOf(this.#step, this.choices) : {},
  )

  /** Begins anew, or takes up a set-up where it stands. */
  constructor(ports: Ports, takenUp: Provisioning | null) {
    this.#ports = ports
    if (!takenUp) return
    this.application = takenUp.application
    this.user = 'pasted'
    this.pastedUserId = takenUp.userId
    this.file = takenUp.expectedFile
    this.#take(takenUp)
  }

  get step(): Step {
    return this.#step
  }

  /** The set-up, once **Provision company** was pressed. */
  get provisioning(): Provisioning | null {
    return this.#provisioning
  }

  /** The user that was made for these books in this run of the dialog. */
  get madeUser(): { readonly userId: string; readonly at: string } | null {
    return this.#madeUser
  }

  /** Why the last thing asked for did not happen. */
  get error(): AppError | null {
    return this.#error
  }

  /** Something was asked of the main process and is not answered. */
  get isBusy(): boolean {
    return this.#isBusy
  }

  /** **Continue**, in steps 1 to 3. */
  next(): void {
    this.#asked = this.#step
    const next = STEPS[this.#step]
    if (this.#step > 3 || next === undefined || Object.keys(problemsOf(this.#step, this.choices)).length > 0)
      return
    this.#step = next
    this.#asked = null
    this.#error = null
  }

  /** **Back**, as long as nothing was sent. */
  back(): void {
    const previous = STEPS[this.#step - 2]
    if (previous === undefined || (this.#provisioning && this.#provisioning.state !== 'refused')) return
    this.#provisioning = null
    this.#error = null
    this.#asked = null
    this.#step = previous
  }

  tick(reminder: string, on: boolean): void {
    const others = this.ticked.filter((other) => other !== reminder)
    this.ticked = on ? [...others, reminder] : others
  }

  /** **Provision company** and **Try again**: makes the user if one is to be made, then asks for the company. */
  async provision(): Promise<void> {
    await this.#busy(async () => {
      const userId = await this.#userId()
      if (!userId.ok) return userId
      return this.#changed('companies.provision', {
        connectionId: this.#ports.connectionId,
        application: this.application,
        userId: userId.value,
        expectedFile: this.file.trim(),
      })
    })
  }

  /** **Stop waiting**: the set-up may still finish, and is watched. */
  async stopWaiting(): Promise<boolean> {
    return this.#withProvisioning((provisioningId) =>
      this.#changed('companies.stopWaiting', { provisioningId }),
    )
  }

  /** **Look now**: the list of companies is read once more. */
  async look(): Promise<boolean> {
    return this.#withProvisioning((provisioningId) =>
      this.#changed('companies.lookForProvisioned', { provisioningId }),
    )
  }

  /** The person's word on the file, or giving up what was not sent. */
  async decide(decision: CallInput<'companies.decideProvisioning'>['decision']): Promise<boolean> {
    return this.#withProvisioning((provisioningId) =>
      this.#changed('companies.decideProvisioning', { provisioningId, decision }),
    )
  }

  /**
   * Keeps the company as the right one, with a label of ours if one was given. The label is written first: a program
   * that ends in between asks again, with the label, and the list never shows the company without it.
   */
  async keep(company: Company, label: string): Promise<boolean> {
    const notes = { label: label.trim() }
    const isNew = notes.label !== '' && notes.label !== company.label
    if (isNew && !(await this.#busy(() => this.#annotate(company, notes)))) return false
    return this.decide('keep')
  }

  /** Takes in what became of the set-up, when the main process says that something changed. */
  follow(provisionings: readonly Provisioning[]): void {
    const mine = provisionings.find(
      ({ provisioningId }) => provisioningId === this.#provisioning?.provisioningId,
    )
    if (mine) this.#take(mine)
  }

  #annotate({ ref }: Company, notes: { readonly label: string }): Promise<Result<unknown>> {
    return this.#ports.api.call('companies.annotate', { company: ref, notes })
  }

  async #userId(): Promise<Result<string>> {
    const chosen = chosenUserId(this.choices) ?? this.#madeUser?.userId ?? null
    if (chosen !== null) return { ok: true, value: chosen }
    const made = await this.#ports.api.call('companies.createUser', {
      connectionId: this.#ports.connectionId,
    })
    if (!made.ok) return made
    this.#madeUser = { userId: made.value.userId, at: isoNow() }
    return { ok: true, value: made.value.userId }
  }

  async #changed<
    Name extends
      | 'companies.provision'
      | 'companies.stopWaiting'
      | 'companies.lookForProvisioned'
      | 'companies.decideProvisioning',
  >(name: Name, input: CallInput<Name>): Promise<Result<unknown>> {
    const changed = await this.#ports.api.call(name, input)
    if (changed.ok) this.#take(changed.value)
    return changed
  }

  async #withProvisioning(ask: (provisioningId: string) => Promise<Result<unknown>>): Promise<boolean> {
    const provisioningId = this.#provisioning?.provisioningId
    return provisioningId === undefined ? false : this.#busy(() => ask(provisioningId))
  }

  /** One thing at a time: a second click while the first is under way does nothing. */
  async #busy(ask: () => Promise<Result<unknown>>): Promise<boolean> {
    if (this.#isBusy) return false
    this.#isBusy = true
    this.#error = null
    const answer = await ask()
    this.#isBusy = false
    if (!answer.ok) this.#error = answer.error
    return answer.ok
  }

  #take(provisioning: Provisioning): void {
    this.#provisioning = provisioning
    this.#step = stepOf(provisioning)
  }
}
