/** What the kinds of accounting applications have or have not. */

/** By its short code. Only desktop companies have a file and an agent. */
export function isDesktop(application: string): boolean {
  return application.toLowerCase() !== 'qbo'
}
