// The accounting files of the sample: three that are provisioned from the start, and three that can be.
import { type Application } from '../responses.ts'
import { builder } from './builder.ts'
import {
  BUILDER_FAULTS,
  LANDSCAPE_FAULTS,
  NO_FAULTS,
  type PlantedFaults,
  VETERINARY_FAULTS,
} from './faults.ts'
import { landscape } from './landscape.ts'
import { type Profile } from './profile.ts'
import { veterinary } from './veterinary.ts'

/** An accounting file of an end user. */
export interface CompanyFile {
  /** The name of the file in storage. It is never on the wire. */
  readonly key: string
  readonly companyName: string
  readonly application: Application
  readonly fullPath: string
  readonly version: string
  readonly appName: string
  readonly profile: Profile
  readonly faults: PlantedFaults
  readonly customers: number
  /** When and for which user the file was provisioned, if it is at the start. */
  readonly provisioned: { readonly daysAgo: number; readonly user: number } | undefined
}

/** The sample's files. Those that are not provisioned are opened in this order. */
export const COMPANY_FILES: readonly CompanyFile[] = [
  {
    key: 'alder',
    companyName: 'Alder & Finch Builders',
    application: 'qbd',
    fullPath: 'C:\\Books\\Alder Finch\\Alder Finch.qbw',
    version: 'Premier Contractor Edition 2024',
    appName: 'Bookbridge',
    profile: builder,
    faults: BUILDER_FAULTS,
    customers: 642,
    provisioned: { daysAgo: 628, user: 0 },
  },
  {
    key: 'northgate',
    companyName: 'Northgate Animal Hospital',
    application: 'qbd',
    fullPath: '\\\\NORTHGATE-SRV\\Books\\Northgate AH (accrual).qbw',
    version: 'Pro 2023',
    appName: 'Bookbridge',
    profile: veterinary,
    faults: VETERINARY_FAULTS,
    customers: 418,
    provisioned: { daysAgo: 411, user: 1 },
  },
  {
    key: 'hollis',
    companyName: 'Hollis & Vane Landscape Architects',
    application: 'qbo',
    fullPath: '',
    version: '',
    appName: 'Bookbridge',
    profile: landscape,
    faults: LANDSCAPE_FAULTS,
    customers: 163,
    provisioned: { daysAgo: 204, user: 0 },
  },
  {
    key: 'juniper',
    companyName: 'Juniper Ridge Veterinary',
    application: 'qbd',
    fullPath: 'C:\\Users\\Public\\Documents\\Books\\Juniper Ridge.qbw',
    version: 'Pro 2024',
    appName: 'Bookbridge',
    profile: veterinary,
    faults: NO_FAULTS,
    customers: 286,
    provisioned: undefined,
  },
  {
    key: 'cobb',
    companyName: 'Cobb & Daughters Remodeling',
    application: 'qbd',
    fullPath: 'D:\\Clients\\Cobb\\Cobb & Daughters 2026.qbw',
    version: 'Enterprise Solutions 24.0',
    appName: 'Bookbridge',
    profile: builder,
    faults: NO_FAULTS,
    customers: 174,
    provisioned: undefined,
  },
  {
    key: 'fernhill',
    companyName: 'Fernhill Garden Design',
    application: 'qbo',
    fullPath: '',
    version: '',
    appName: 'Bookbridge',
    profile: landscape,
    faults: NO_FAULTS,
    customers: 97,
    provisioned: undefined,
  },
]
