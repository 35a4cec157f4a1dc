/**
 * Encodes values of Electron's IPC (structured clone) as text between the host and a page: JSON, with objects with a
 * `$host` key for values that JSON can't express. Plain data is not copied first, so that large lists stay cheap. The
 * function is also sent to the page as source text, so it uses nothing from outside itself.
 */

export interface Base64 {
  readonly encode: (bytes: Uint8Array) => string
  readonly decode: (text: string) => Uint8Array
}

/**
 * Large byte arrays are sent separately, with a number in their place in the text. `put` returns `null` for small ones.
 */
export interface Apart {
  readonly put: (bytes: Uint8Array) => number | null
  readonly take: (place: number) => Uint8Array
}

export interface ValueCodec {
  /** Throws Electron's own message for values that can't be cloned: a function, a symbol. */
  readonly encode: (value: unknown) => string
  readonly decode: (text: string) => unknown
}

export function makeValueCodec(base64: Base64, apart?: Apart): ValueCodec {
  type Special = { readonly $host: string; readonly value?: unknown }
  const special = (kind: string, value?: unknown): Special => ({ $host: kind, value })

  /** Returns the value itself if JSON can express it, otherwise a copy with special values as `$host` objects. */
  const pack = (value: unknown, depth: number): unknown => {
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
    if (typeof value === 'number') {
      return Number.isFinite(value) && !Object.is(value, -0)
        ? value
        : special('number', Object.is(value, -0) ? '-0' : String(value))
    }
    if (value === undefined) return special('undefined')
    if (typeof value === 'bigint') return special('bigint', String(value))
    if (typeof value !== 'object') throw new Error('An object could not be cloned.')
    if (depth > 1000)
      throw new Error('An object could not be cloned: it is nested too deeply, or holds itself.')
    if (Array.isArray(value)) return packList(value, depth)
    if (ArrayBuffer.isView(value)) {
      const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
      const place = apart?.put(bytes) ?? null
      return place === null ? special('bytes', base64.encode(bytes)) : special('apart', place)
    }
    if (value instanceof ArrayBuffer) return special('buffer', base64.encode(new Uint8Array(value)))
    if (value instanceof Date) return special('date', value.getTime())
    if (value instanceof Map) return special('map', packList([...value], depth))
    if (value instanceof Set) return special('set', packList([...value], depth))
    if (value instanceof Error) return special('error', { name: value.name, message: value.message })
    return packObject(value as Record<string, unknown>, depth)
  }

  const packList = (list: readonly unknown[], depth: number): readonly unknown[] => {
    let copy: unknown[] | undefined
    for (let index = 0; index < list.length; index++) {
      const packed = pack(list[index], depth + 1)
      if (packed === list[index]) continue
      copy ??= [...list]
      copy[index] = packed
    }
    return copy ?? list
  }

  const packObject = (object: Record<string, unknown>, depth: number): unknown => {
    let copy: Record<string, unknown> | undefined
    for (const key of Object.keys(object)) {
      const packed = pack(object[key], depth + 1)
      if (packed === object[key]) continue
      copy ??= { ...object }
      copy[key] = packed
    }
    const packed = copy ?? object
    return '$host' in object || 'toJSON' in object ? special('object', Object.entries(packed)) : packed
  }

  const unpack = (value: unknown): unknown => {
    if (value === null || typeof value !== 'object') return value
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) value[index] = unpack(value[index])
      return value as unknown
    }
    const object = value as Record<string, unknown>
    if ('$host' in object) return unpackSpecial(object as typeof object & Special)
    for (const key of Object.keys(object)) {
      const held = object[key]
      if (held !== null && typeof held === 'object') object[key] = unpack(held)
    }
    return object
  }

  const unpackSpecial = ({ $host, value }: Special): unknown => {
    switch ($host) {
      case 'undefined':
        return undefined
      case 'number':
        return Number(value)
      case 'bigint':
        return BigInt(value as string)
      case 'bytes':
        return base64.decode(value as string)
      case 'apart':
        return apart?.take(value as number)
      case 'buffer':
        return base64.decode(value as string).buffer
      case 'date':
        return new Date(value as number)
      case 'map':
        return new Map(unpack(value) as [unknown, unknown][])
      case 'set':
        return new Set(unpack(value) as unknown[])
      case 'error': {
        const { name, message } = value as { name: string; message: string }
        return Object.assign(new Error(message), { name })
      }
      default:
        return Object.fromEntries((value as [string, unknown][]).map(([key, held]) => [key, unpack(held)]))
    }
  }

  return {
    encode: (value) => JSON.stringify(pack(value, 0)),
    // Only text that mentions `$host` can contain special values. Anything else is only parsed.
    decode: (text) => (text.includes('"$host"') ? unpack(JSON.parse(text)) : (JSON.parse(text) as unknown)),
  }
}
