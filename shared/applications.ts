/** The accounting applications by their short codes (specification, 1). A code that we do not know stands for itself. */

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
