/** The accounting applications by their short codes (specification, 1). A code that we do not know stands for itself. */

/** The codes that the specification names (1), in the order in which they are offered. */
export const APPLICATIONS = ['qbd', 'qbo'] as const

/** The word for a short code. */
export function applicationName(code: string): string {
  switch (code.toLowerCase()) {
    case 'qbd':
      return 'Desktop'
    case 'qbo':
      return 'Online'
    default:
      return code === '' ? 'Unknown' : code
  }
}

/** Only desktop companies have a file and an agent. */
export function isDesktop(code: string): boolean {
  return code.toLowerCase() !== 'qbo'
}
