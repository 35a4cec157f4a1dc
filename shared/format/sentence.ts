/** Sentences with amounts and dates that are formatted where they are shown. */
import type { Format } from './format.ts'

/** Text, or an exact amount or a day (ISO), which is formatted for the reader. */
type SentencePart = string | { readonly amount: string } | { readonly date: string }
export type Sentence = readonly SentencePart[]

/** A template tag for sentences with amounts and days: says`It is ${{ amount }}.` */
export function says(texts: TemplateStringsArray, ...values: readonly SentencePart[]): Sentence {
  return texts.flatMap((text, at) => [text, values[at] ?? '']).filter((part) => part !== '')
}

export function formatSentence(sentence: Sentence, format: Format): string {
  return sentence
    .map((part) => {
      if (typeof part === 'string') return part
      return 'amount' in part ? format.money(part.amount) : format.date(part.date)
    })
    .join('')
}
