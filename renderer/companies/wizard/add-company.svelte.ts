/**
 * **Add company**: the person's choices over five steps. What is entered is kept as a visit until it is sent; from
 * there on the setup (`setup.svelte.ts`) has it. Both outlive the dialog and the program.
 */
import { isDesktop } from '../../../shared/companies/companies.ts'
import type { Company, Provisioning, Visit } from '../../../shared/contract/companies.ts'
import type { AppError, Result } from '../../../shared/result.ts'
import type { Api } from '../../api.ts'
import { Setup } from './setup.svelte.ts'
import {
  type Choices,
  type Place,
  type Problems,
  STEPS,
  type Step,
  chosenUserId,
  problemsOf,
  stepOf,
} from './steps.ts'
import { mayGoBack } from './wait.ts'

interface Ports {
  readonly api: Api
  readonly connectionId: string
}

/** How a dialog begins. `after` is the company that was added just before: its application is kept. */
type Beginning =
  | { readonly kind: 'anew' }
  | { readonly kind: 'after'; readonly company: Company }
  | { readonly kind: 'taken-up'; readonly provisioning: Provisioning }
  | { readonly kind: 'resumed'; readonly visit: Visit; readonly again: Provisioning | null }

export class AddCompany {
  #application = $state('')
  user = $state('')
  pastedUserId = $state('')
  /** A desktop company's file, or an online company's name. */
  file = $state('')
  /** What stood there for the other kind of application: a file's name is not a company's. */
  #fileOfOther = ''
  place = $state<Place>('here')
  /** The label typed in step 5; `null` until then. */
  typedLabel = $state<string | null>(null)
  /** Step 5 was answered with **No**. */
  isWrongFile = $state(false)
  /** The reminders of step 3 that the person ticked. */
  ticked = $state.raw<readonly string[]>([])
  readonly setup: Setup
  /** The owner of the company that was added just before; empty for none. */
  readonly userBefore: string
  /** Since when what was entered has been kept; `null` when it was entered in this dialog. */
  readonly resumedSince: string | null
  #chosenStep = $state<Step>(1)
  /** The step at which **Continue** was tried: its problems are said from then on. */
  #asked = $state<Step | null>(null)
  #mayMakeAnother = $state(false)
  readonly #begunAt: string
  readonly #ports: Ports
  readonly #keeper: VisitKeeper

  readonly choices: Choices = $derived({
    application: this.application,
    user: this.user,
    pastedUserId: this.pastedUserId,
    file: this.file,
    place: this.place,
  })
  /** What keeps the step from going on; only said once the person tried to. */
  readonly problems: Problems = $derived(
    this.#asked === this.#chosenStep ? problemsOf(this.#chosenStep, this.choices) : {},
  )

  private constructor(ports: Ports, beginning: Beginning) {
    this.#ports = ports
    this.#keeper = new VisitKeeper(ports.api, ports.connectionId)
    this.setup = new Setup(
      ports.api,
      beginning.kind === 'taken-up' ? beginning.provisioning : null,
      beginning.kind === 'resumed' ? beginning.again : null,
    )
    this.userBefore = beginning.kind === 'after' ? beginning.company.userId : ''
    this.resumedSince = beginning.kind === 'resumed' ? beginning.visit.begunAt : null
    this.#begunAt = this.resumedSince ?? new Date().toISOString()
    if (beginning.kind === 'after') {
      this.application = beginning.company.application
      this.#chosenStep = 2
    } else if (beginning.kind === 'taken-up') this.#takeUp(beginning.provisioning)
    else if (beginning.kind === 'resumed') this.#resume(beginning.visit)
  }

  /** Takes up a setup where it stands, or what was entered before, or begins anew. */
  static async open(ports: Ports, takenUp: Provisioning | null): Promise<AddCompany> {
    if (takenUp) return new AddCompany(ports, { kind: 'taken-up', provisioning: takenUp })
    const { api, connectionId } = ports
    const kept = await api.call('companies.visit', { connectionId })
    if (!kept.ok || kept.value.visit === null) return new AddCompany(ports, { kind: 'anew' })
    const { visit } = kept.value
    if (visit.again === null) return new AddCompany(ports, { kind: 'resumed', visit, again: null })
    const all = await api.call('companies.provisionings', { connectionId })
    const again = all.ok ? all.value.find(({ provisioningId }) => provisioningId === visit.again) : undefined
    return new AddCompany(ports, again ? { kind: 'resumed', visit, again } : { kind: 'anew' })
  }

  /** Another one: after a company the same application and nobody chosen, else with nothing entered. */
  another(after: Company | null): AddCompany {
    return new AddCompany(this.#ports, after ? { kind: 'after', company: after } : { kind: 'anew' })
  }

  get application(): string {
    return this.#application
  }

  set application(application: string) {
    if (isDesktop(application) !== isDesktop(this.#application)) {
      const file = this.file
      this.file = this.#fileOfOther
      this.#fileOfOther = file
    }
    this.#application = application
  }

  get step(): Step {
    return this.provisioning ? stepOf(this.provisioning) : this.#chosenStep
  }

  /** The setup, once **Provision company** was pressed. */
  get provisioning(): Provisioning | null {
    return this.setup.provisioning
  }

  get error(): AppError | null {
    return this.setup.error
  }

  get isBusy(): boolean {
    return this.setup.isBusy
  }

  /** The user that was made for these books, or may have been: nobody can look one up. */
  get madeUser(): Setup['madeUser'] {
    return this.setup.madeUser
  }

  /** A user may have been made and its answer was lost: the person has to say how to go on. */
  get isUserInDoubt(): boolean {
    return this.user === 'new' && this.madeUser?.state === 'held' && !this.#mayMakeAnother
  }

  /** Keeps what is entered as long as nothing was sent; call it whenever something may have changed. */
  keepVisit(): void {
    const { application, user, pastedUserId, file, place, ticked } = this
    const entered = { application, user, pastedUserId, file, place, ticked: [...ticked] }
    const step = this.#chosenStep
    if (this.provisioning !== null || application === '') return
    this.#keeper.keep({ begunAt: this.#begunAt, step, ...entered, again: this.setup.again })
  }

  /** Forgets what was entered. */
  async forgetVisit(): Promise<void> {
    this.#keeper.keep(null)
    await this.#keeper.flush()
  }

  /** Keeps now what waits to be kept. */
  flush(): Promise<void> {
    return this.#keeper.flush()
  }

  /** **Continue**, in steps 1 to 3. */
  goOn(): void {
    const step = this.#chosenStep
    const following = STEPS[step]
    this.#asked = step
    if (step > 3 || following === undefined || Object.keys(problemsOf(step, this.choices)).length > 0) return
    this.#chosenStep = following
    this.#asked = null
    this.setup.clearError()
  }

  /** **Back**, as long as nothing was sent, or where the service said why it was not set up. */
  back(): void {
    const previous = STEPS[this.step - 2]
    if (previous === undefined || (this.provisioning && !mayGoBack(this.provisioning))) return
    if (this.provisioning) this.setup.setAside()
    this.setup.clearError()
    this.#asked = null
    this.#chosenStep = previous
  }

  tick(reminder: string, on: boolean): void {
    const others = this.ticked.filter((other) => other !== reminder)
    this.ticked = on ? [...others, reminder] : others
  }

  /** **Make another user**: the person's word that the one in doubt is let be. */
  allowAnotherUser(): void {
    this.#mayMakeAnother = true
    this.setup.clearError()
  }

  /** **Provision company** and **Try again**: asks for the company, with a new user where one is to be made first. */
  async provision(): Promise<void> {
    if (this.isUserInDoubt) return
    await this.setup.busy(async () => {
      // The setup takes the visit's place, so nothing of the visit may be written after it.
      await this.#keeper.flush()
      const begun = await this.setup.provision({
        connectionId: this.#ports.connectionId,
        application: this.application,
        userId: chosenUserId(this.choices),
        expectedFile: this.file.trim(),
        place: this.place,
        visit: this.#begunAt,
      })
      if (begun.ok) this.#mayMakeAnother = false
      return begun
    })
  }

  /**
   * Keeps the company as the right one, with a label of ours if one was given. The label is written first: a program
   * that ends in between asks again, with the label, and the list never shows the company without it.
   */
  async keep({ ref, label: before }: Company, typed: string): Promise<boolean> {
    const label = typed.trim()
    const annotate = (): Promise<Result<unknown>> =>
      this.#ports.api.call('companies.annotate', { company: ref, notes: { label } })
    if (label !== '' && label !== before && !(await this.setup.busy(annotate))) return false
    return this.setup.decide('keep')
  }

  #takeUp(provisioning: Provisioning): void {
    this.application = provisioning.application
    this.user = provisioning.newUser ? 'new' : 'pasted'
    this.pastedUserId = provisioning.newUser ? '' : provisioning.userId
    this.file = provisioning.expectedFile
    this.place = provisioning.place
    this.#chosenStep = 4
  }

  #resume(visit: Visit): void {
    this.application = visit.application
    this.user = visit.user
    this.pastedUserId = visit.pastedUserId
    this.file = visit.file
    this.place = visit.place
    this.ticked = visit.ticked
    this.#chosenStep = STEPS[visit.step - 1] ?? 1
  }
}

// Keeps what a visit to **Add company** has entered, a moment after each change, so that a crash loses nothing.

const TYPING_RESTS_MS = 150

class VisitKeeper {
  readonly #api: Api
  readonly #connectionId: string
  #unsaved: { readonly visit: Visit | null } | null = null
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(api: Api, connectionId: string) {
    this.#api = api
    this.#connectionId = connectionId
  }

  /** Saves when typing rests; `null` forgets what was entered. */
  keep(visit: Visit | null): void {
    this.#unsaved = { visit }
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.flush(), TYPING_RESTS_MS)
  }

  /** Saves now what waits. That it could not be saved stops nobody: what matters is journalled when it is sent. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    const waiting = this.#unsaved
    if (waiting === null) return
    this.#unsaved = null
    await this.#api.call('companies.saveVisit', { connectionId: this.#connectionId, visit: waiting.visit })
  }
}
