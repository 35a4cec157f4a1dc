// The reports of each application and their parameters (section 4.2).
import { type Company } from '../company.ts'
import {
  accepted,
  type Application,
  contentOf,
  type Outcome,
  refused,
  type ResponseContent,
} from '../responses.ts'
import { parameter } from '../routes.ts'
import { isDayAndTime, parseDay } from '../time.ts'
import { generalLedger, profitAndLossDetail } from './general-ledger.ts'
import { type ReportBody, reportOf, type ReportRequest } from './report.ts'
import {
  balanceSheet,
  balanceSheetByClass,
  budgetOverview,
  budgetVersusActual,
  profitAndLoss,
  profitAndLossByClass,
  profitAndLossWithBalanceSheet,
  trialBalance,
} from './statements.ts'
import { agedReceivables, agingDetail, auditTrail, payrollItemDetail, vendorExpenses } from './summaries.ts'

type MakeReport = (request: ReportRequest) => ReportBody

const REPORTS: Readonly<Record<Application, Readonly<Record<string, MakeReport>>>> = {
  qbd: {
    BalanceSheet: balanceSheet,
    PandLBalanceSheet: profitAndLossWithBalanceSheet,
    ProfitAndLoss: profitAndLoss,
    ProfitAndLossDetail: profitAndLossDetail,
    ProfitAndLossByClass: profitAndLossByClass,
    ProfitAndLossBudgetOverview: budgetOverview,
    ProfitAndLossBudgetVsActual: budgetVersusActual,
    ARAgingDetail: agingDetail,
    BalanceSheetByClass: balanceSheetByClass,
    PLandBalanceSheet: profitAndLossWithBalanceSheet,
    VendorExpenseSummary: vendorExpenses,
    GeneralLedger: generalLedger,
    AuditTrail: auditTrail,
    TrialBalance: trialBalance,
    PayrollItemDetail: payrollItemDetail,
  },
  qbo: {
    ProfitAndLoss: profitAndLoss,
    BalanceSheet: balanceSheet,
    AgedReceivables: agedReceivables,
    VendorExpenses: vendorExpenses,
    ProfitAndLossByClass: profitAndLossByClass,
    BalanceSheetByClass: balanceSheetByClass,
    TrialBalance: trialBalance,
  },
}

/** The report names of an application. */
function reportNames(application: Application): string[] {
  return Object.keys(REPORTS[application])
}

/** Creates the report that a query asks for. Its name may have any case. The period includes both days. */
export function selectReport(
  company: Company,
  query: URLSearchParams,
  self: string,
): Outcome<ResponseContent> {
  const asked = parameter(query, 'name')
  if (asked === undefined || asked === '')
    return refused(400, 'MissingParameter', 'The parameter name is required.')
  const found = Object.entries(REPORTS[company.application]).find(
    ([name]) => name.toLowerCase() === asked.toLowerCase(),
  )
  if (found === undefined) {
    return refused(
      404,
      'UnknownReport',
      `There is no report "${asked}" for ${company.application}.`,
      `Reports: ${reportNames(company.application).join(', ')}`,
    )
  }
  const start = readDay(query, 'modTimeStart')
  if (!start.ok) return start
  const end = readDay(query, 'modTimeEnd')
  if (!end.ok) return end
  if (end.value < start.value) return refused(400, 'BadParameter', 'The period ends before it begins.')
  const [name, make] = found
  const request = { company, start: start.value, end: end.value }
  const report = reportOf(name, request, make(request))
  return accepted(contentOf([{ Object: report, Errors: null, Self: self, Kind: 'report' }]))
}

/** Reads a date-time without an offset, `yyyy-mm-ddThh:mm:ss`. Only the day counts. */
function readDay(query: URLSearchParams, name: string): Outcome<number> {
  const text = parameter(query, name)
  if (text === undefined || text === '')
    return refused(400, 'MissingParameter', `The parameter ${name} is required.`)
  const day = isDayAndTime(text) ? parseDay(text) : undefined
  if (day !== undefined) return accepted(day)
  return refused(
    400,
    'BadParameter',
    `The parameter ${name} must be yyyy-mm-ddThh:mm:ss without an offset, not "${text}".`,
  )
}
