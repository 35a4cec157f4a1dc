/** The tour replaces a picture only if it looks different. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { looksTheSame } from '../../../scripts/parts/picture.ts'

const icon = readFileSync(resolve(import.meta.dirname, '../../../resources/icon.png'))
const images = resolve(import.meta.dirname, '../../../docs/images')
const light = readFileSync(join(images, 'records-light.png'))

test('a picture equals itself, even with other bytes', () => {
  // An additional text chunk changes the file but not the picture.
  const comment = Buffer.from('\0\0\0\x04tEXta\0bcCRC!', 'latin1')
  const end = light.length - 12
  const otherBytes = Buffer.concat([light.subarray(0, end), comment, light.subarray(end)])
  expect(looksTheSame(light, otherBytes)).toBe(true)
})

test('a different screen, theme, or size is noticed', () => {
  expect(looksTheSame(light, readFileSync(join(images, 'records-editing-light.png')))).toBe(false)
  expect(looksTheSame(light, readFileSync(join(images, 'records-dark.png')))).toBe(false)
  expect(looksTheSame(light, icon)).toBe(false)
})

test('anything but a picture equals nothing', () => {
  expect(looksTheSame(light, Buffer.from('no picture'))).toBe(false)
})
