/** Small pieces of a cell, as elements: the grid makes thousands, so they are made by hand and not by a component. */

const SVG = 'http://www.w3.org/2000/svg'
/** Lucide's icons (ISC license), as paths. */
const PATHS = {
  lock: [
    'M5 11h14a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-7a2 2 0 0 1 2-2z',
    'M7 11V7a5 5 0 0 1 10 0v4',
  ],
  chevron: ['m9 18 6-6-6-6'],
  filter: ['M2 5h20', 'M6 12h12', 'M9 19h6'],
} as const

export function icon(name: keyof typeof PATHS): SVGElement {
  const svg = document.createElementNS(SVG, 'svg')
  for (const [attribute, value] of Object.entries({
    viewBox: '0 0 24 24',
    fill: 'none',
    stroke: 'currentColor',
    'stroke-linecap': 'round',
    'stroke-linejoin': 'round',
    'aria-hidden': 'true',
    class: `lucide small ${name}`,
  })) {
    svg.setAttribute(attribute, value)
  }
  for (const d of PATHS[name]) {
    const path = document.createElementNS(SVG, 'path')
    path.setAttribute('d', d)
    svg.append(path)
  }
  return svg
}

export function span(className: string, ...children: (Node | string)[]): HTMLSpanElement {
  const element = document.createElement('span')
  element.className = className
  element.append(...children)
  return element
}

/** A bare tick, drawn over its word: boxes are for what can be ticked. */
export function yes(): HTMLElement {
  return span('cell-yes', 'Yes')
}
