/** The company colors, in the order of the color picker. */
export const BANDS = ['sea', 'ochre', 'indigo', 'rose', 'azure', 'moss', 'plum', 'graphite'] as const
