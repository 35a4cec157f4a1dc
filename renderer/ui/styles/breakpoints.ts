/** The window sizes at which layouts change, as media queries. Style sheets repeat them, because CSS can't import them. */

/** A window with room for one thing at a time, as at 200 %. */
export const SMALL_WINDOW = '(max-width: 760px)'

/** A window without room for every button and column. */
export const NARROW_WINDOW = '(max-width: 900px)'

/** A window in which rows are scarce. */
export const SHORT_WINDOW = '(max-height: 560px)'
