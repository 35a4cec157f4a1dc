/**
 * **Add company**: the user's choices in five steps. They are saved as a draft until the request is sent. From then
 * on, the setup (`setup.svelte.ts`) holds them. Both survive closing the dialog and restarting the program.
 */
import { isDesktop } from '../../../shared/companies/companies.ts'
import type { Company, Provisioning, SetupDraft } from '../../../shared/contract/companies.ts'
import type { AppError, Result } from '../../../shared/result.ts'
import type { Api } from '../../api.ts'
import { clock } from '../../clock.ts'
import { Setup } from './setup.svelte.ts'
import {
  type Choices,
  chosenUserId,
  type FileLocation,
  type Problems,
  type Step,
  stepOf,
  stepProblems,
  STEPS,
} from './steps.ts'
import { canGoBack } from './wait.ts'

interface Ports {
  readonly api: Api
  readonly connectionId: string
}

/** How a dialog begins. `after` follows another company and keeps its application. */
type Beginning =
  | { readonly kind: 'new' }
  | { readonly kind: 'next'; readonly company: Company }
  | { readonly kind: 'setup'; readonly provisioning: Provisioning }
  | { readonly kind: 'draft'; readonly draft: SetupDraft; readonly again: Provisioning | null }

export class AddCompany {
  #application = $state('')
  user = $state('')
  pastedUserId = $state('')
  /** A desktop company's file, or an online company's name. */
  file = $state('')
  /** What was entered for the other kind of application. A file name isn't a company name. */
  #fileOfOther = ''
  place = $state<FileLocation>('here')
  /** What the user entered about the company in step 5. Everything else follows the company. */
  notes = $state.raw<Partial<Pick<Company, 'label' | 'fiscalYearStart' | 'basis'>>>({})
  /** Step 5 was answered with **No, wrong file…**. */
  isWrongFile = $state(false)
  /** The reminders of step 3 that the user checked. */
  checkedReminders = $state.raw<readonly string[]>([])
  readonly setup: Setup
  /** The owner of the company that was added just before; empty for none. */
  readonly userBefore: string
  /** When the draft was begun; `null` unless this dialog resumes one. */
  readonly resumedSince: string | null
  #chosenStep = $state<Step>(1)
  /** The step where **Continue** was pressed. Its problems are shown from then on. */
  #tried = $state<Step | null>(null)
  #canCreateAnother = $state(false)
  readonly #begunAt: string
  readonly #ports: Ports
  readonly #keeper: DraftKeeper

  readonly choices: Choices = $derived({
    application: this.application,
    user: this.user,
    pastedUserId: this.pastedUserId,
    file: this.file,
    place: this.place,
  })
  /** What is missing in this step; empty until the user presses **Continue**. */
  readonly problems: Problems = $derived(
    this.#tried === this.#chosenStep ? stepProblems(this.#chosenStep, this.choices) : {},
  )

  private constructor(ports: Ports, beginning: Beginning) {
    this.#ports = ports
    this.#keeper = new DraftKeeper(ports.api, ports.connectionId)
    this.setup = new Setup(
      ports.api,
      beginning.kind === 'setup' ? beginning.provisioning : null,
      beginning.kind === 'draft' ? beginning.again : null,
    )
    this.userBefore = beginning.kind === 'next' ? beginning.company.userId : ''
    this.resumedSince = beginning.kind === 'draft' ? beginning.draft.begunAt : null
    this.#begunAt = this.resumedSince ?? clock.date().toISOString()
    if (beginning.kind === 'next') {
      this.application = beginning.company.application
      this.#chosenStep = 2
    } else if (beginning.kind === 'setup') this.#showSetup(beginning.provisioning)
    else if (beginning.kind === 'draft') this.#showDraft(beginning.draft)
  }

  /** Resumes a setup or a draft, or starts over. */
  static async open(ports: Ports, existing: Provisioning | null): Promise<AddCompany> {
    if (existing) return new AddCompany(ports, { kind: 'setup', provisioning: existing })
    const { api, connectionId } = ports
    const kept = await api.call('companies.setupDraft', { connectionId })
    if (!kept.ok || kept.value.draft === null) return new AddCompany(ports, { kind: 'new' })
    const { draft } = kept.value
    if (draft.again === null) return new AddCompany(ports, { kind: 'draft', draft, again: null })
    const all = await api.call('companies.provisionings', { connectionId })
    const again = all.ok ? all.value.find(({ provisioningId }) => provisioningId === draft.again) : undefined
    return new AddCompany(ports, again ? { kind: 'draft', draft, again } : { kind: 'new' })
  }

  /** Starts the next company: with the same application after a company, otherwise empty. No client is preselected. */
  another(after: Company | null): AddCompany {
    return new AddCompany(this.#ports, after ? { kind: 'next', company: after } : { kind: 'new' })
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

  /** The setup; `null` until **Provision company** is pressed. */
  get provisioning(): Provisioning | null {
    return this.setup.provisioning
  }

  get error(): AppError | null {
    return this.setup.error
  }

  get isBusy(): boolean {
    return this.setup.isBusy
  }

  /** The user that was created for these books, or may have been. The service can't list users. */
  get madeUser(): Setup['madeUser'] {
    return this.setup.madeUser
  }

  /** A user may exist, because the answer was lost. The user decides how to continue. */
  get isUserInDoubt(): boolean {
    return this.user === 'new' && this.madeUser?.state === 'held' && !this.#canCreateAnother
  }

  /** Saves the draft until the request is sent. Call it whenever something may have changed. */
  keepDraft(): void {
    const { application, user, pastedUserId, file, place, checkedReminders } = this
    const entered = { application, user, pastedUserId, file, place, checkedReminders: [...checkedReminders] }
    const step = this.#chosenStep
    if (this.provisioning !== null || application === '') return
    this.#keeper.keep({ begunAt: this.#begunAt, step, ...entered, again: this.setup.again })
  }

  /** Deletes the draft. */
  async forgetDraft(): Promise<void> {
    this.#keeper.keep(null)
    await this.#keeper.flush()
  }

  /** Saves pending changes now. */
  flush(): Promise<void> {
    return this.#keeper.flush()
  }

  /** **Continue**, in steps 1 to 3. */
  nextStep(): void {
    const step = this.#chosenStep
    const following = STEPS[step]
    this.#tried = step
    if (step > 3 || following === undefined || Object.keys(stepProblems(step, this.choices)).length > 0)
      return
    this.#chosenStep = following
    this.#tried = null
    this.setup.clearError()
  }

  /** **Back**: only before the request is sent, or once the service has said why it refused. */
  back(): void {
    const previous = STEPS[this.step - 2]
    if (previous === undefined || (this.provisioning && !canGoBack(this.provisioning))) return
    if (this.provisioning) this.setup.setAside()
    this.setup.clearError()
    this.#tried = null
    this.#chosenStep = previous
  }

  checkReminder(reminder: string, on: boolean): void {
    const others = this.checkedReminders.filter((other) => other !== reminder)
    this.checkedReminders = on ? [...others, reminder] : others
  }

  /** **create another user**: the user accepts that the first user may exist, too. */
  allowAnotherUser(): void {
    this.#canCreateAnother = true
    this.setup.clearError()
  }

  /** **Provision company** and **Try again**: requests the company, and a new user first if there is none. */
  async provision(): Promise<void> {
    if (this.isUserInDoubt) return
    await this.setup.busy(async () => {
      // The setup replaces the draft, so nothing of the draft may be written after it.
      await this.#keeper.flush()
      const begun = await this.setup.provision({
        connectionId: this.#ports.connectionId,
        application: this.application,
        userId: chosenUserId(this.choices),
        expectedFile: this.file.trim(),
        place: this.place,
        draftBegunAt: this.#begunAt,
      })
      if (begun.ok) this.#canCreateAnother = false
      return begun
    })
  }

  /**
   * Keeps the company, with what was entered about it. That is saved first: if the program ends in between, it asks again,
   * and the list never shows the company without its label.
   */
  async keep(company: Company): Promise<boolean> {
    const { label = company.label, fiscalYearStart, basis } = this.notes
    const notes = { ...company, fiscalYearStart, basis, label: label.trim() || company.label }
    const changed = Object.fromEntries(
      (['label', 'fiscalYearStart', 'basis'] as const)
        .map((name) => [name, notes[name]] as const)
        .filter(([name, value]) => value !== undefined && value !== company[name]),
    )
    const annotate = (): Promise<Result<unknown>> =>
      this.#ports.api.call('companies.annotate', { company: company.ref, notes: changed })
    if (Object.keys(changed).length > 0 && !(await this.setup.busy(annotate))) return false
    return this.setup.decide('keep')
  }

  #showSetup(provisioning: Provisioning): void {
    this.application = provisioning.application
    this.user = provisioning.newUser ? 'new' : 'pasted'
    this.pastedUserId = provisioning.newUser ? '' : provisioning.userId
    this.file = provisioning.expectedFile
    this.place = provisioning.place
    this.#chosenStep = 4
  }

  #showDraft(draft: SetupDraft): void {
    this.application = draft.application
    this.user = draft.user
    this.pastedUserId = draft.pastedUserId
    this.file = draft.file
    this.place = draft.place
    this.checkedReminders = draft.checkedReminders
    this.#chosenStep = STEPS[draft.step - 1] ?? 1
  }
}

// Saves the draft shortly after each change, so that a crash loses nothing.

const SAVE_DELAY_MS = 150

class DraftKeeper {
  readonly #api: Api
  readonly #connectionId: string
  #unsaved: { readonly draft: SetupDraft | null } | null = null
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(api: Api, connectionId: string) {
    this.#api = api
    this.#connectionId = connectionId
  }

  /** Saves after a pause in typing; `null` deletes the draft. */
  keep(draft: SetupDraft | null): void {
    this.#unsaved = { draft }
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.flush(), SAVE_DELAY_MS)
  }

  /** Saves pending changes now. A failure stops no one, because the journal records what is sent. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    const waiting = this.#unsaved
    if (waiting === null) return
    this.#unsaved = null
    await this.#api.call('companies.saveSetupDraft', {
      connectionId: this.#connectionId,
      draft: waiting.draft,
    })
  }
}
