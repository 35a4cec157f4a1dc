// Names, streets and towns that could be real and belong to nobody. Domains end in .example and telephone
// numbers are 555-01xx, which are kept free for this.

export const SURNAMES = (
  'Abernathy Achterberg Adeyemi Albright Allard Amador Anand Ansari Appleyard Arroyo Ashby Atwater Babineaux ' +
  'Baptiste Barlow Bastien Beaumont Belhaven Benitez Bergstrom Birch Blackwood Bohannon Bondarenko Bowditch ' +
  'Brannigan Bristow Broussard Buckley Burgos Cadwell Calloway Campos Cardenas Castellano Chaudhary Chisholm ' +
  'Coates Colquitt Conroy Craven Cruickshank Dandridge Danforth DeSoto Delacroix Devereux Dimitrov Dougherty ' +
  'Dunning Eastlake Eckhart Eddington Ellsworth Emerson Escobar Fairbanks Farouk Faulkner Fenwick Figueroa ' +
  'Fitzgerald Fomenko Forsythe Fujimoto Gallant Garrity Gianopoulos Gilchrist Goldfarb Granger Greaves ' +
  'Gutierrez Halloran Hamasaki Hargrove Hathaway Hendricks Holloway Huang Ibarra Ingersoll Iwasaki Jankowski ' +
  'Jessup Kaplan Kessler Khoury Kirkland Kowalski Lachance Langford Larsen Lindqvist Lombardi Mackenzie ' +
  'Madrigal Marchetti McAllister Mercado Mikkelsen Montague Nakamura Navarro Nguyen Novak O’Brien O’Leary ' +
  'Obuya Okafor Ortega Osterman Pacheco Papadakis Pemberton Petrov Pickering Quintero Radcliffe Ramaswamy ' +
  'Reinholt Rosales Rutherford Salazar Santangelo Schaefer Sokolov Stavros Sutherland Takahashi Talavera ' +
  'Thibodeaux Underhill Valdez Vandermeer Villanueva Wainwright Wexler Whitlock Yamada Yelverton Zamora Zielinski'
).split(' ')

export const GIVEN_NAMES = (
  'Adaeze Alonzo Amelia Anders Anjali Annika Arkady Beatriz Bram Camille Carmen Cecily Clement Dalia Damian ' +
  'Deborah Desmond Dolores Edith Elena Elias Emeka Esther Ezra Farah Felix Fiona Gabriela Gideon Greta Harriet ' +
  'Hector Helena Hiroshi Ignacio Imogen Ines Isaac Jasper Joanna Josephine Juno Katarina Kenji Lachlan Leila ' +
  'Lorenzo Louise Lucinda Magnus Marguerite Marisol Mateo Maxine Mira Nadia Nathaniel Nell Noor Octavia Oscar ' +
  'Pearl Philippa Priya Quentin Rafael Ramona Renata Rosalind Rufus Sabine Samir Saskia Silas Sonia Stellan ' +
  'Tamsin Teodoro Thea Tobias Ursula Valentina Vikram Wendell Winifred Xavier Yolanda Zachary'
).split(' ')

/** Given names of employees; none is in {@link GIVEN_NAMES}, so that no customer has an employee's name. */
export const STAFF_NAMES =
  'Bernadette Caleb Dana Eleanor Garrett Hana Ivan Judith Keisha Leon Monica Terrence'.split(' ')

/** Who keeps the books, by the audit trail. */
export const BOOKKEEPERS = ['Dana Whitcomb', 'Admin', 'Judith Amari']

export const TRADES = (
  'Millwork|Cycle Works|Dental|Property Management|Bakery|Cabinetry|Upholstery|Vineyards|Pottery Studio|Printing|' +
  'Orchards|Book Shop|Marine Repair|Framing|Roofing|Interiors|Elevator & Lift|Veterinary Realty LLC|Montessori|' +
  'Coffee Roasters|Theatre|Textiles, Inc.|Physical Therapy, PLLC|Cheese Company|Glassworks|Storage|Stables|' +
  'Farm Stand|Tailoring|Hardware Co.|Realty Partners|Homeowners Association'
).split('|')

export const PLACES = (
  'Bayshore|Blue Heron|Calico|Cannery Row|Cedar Hollow|Coastal|Copperfield|Driftwood|Eagle Point|Elm Street|' +
  'Fernhill|Foxglove|Golden Gate|Granite Bay|Harbor View|Hawthorne|Ironwood|Juniper|Kestrel|Lakeside|Larkspur|' +
  'Lighthouse|Marigold|Meadowbrook|Mission|Northfield|Oak Knoll|Old Mill|Orchard Hill|Pine & Ember|Prairie Rose|' +
  'Quarry|Red Barn|Riverside|Saltwater|Silver Creek|Stonegate|Sunnyvale Road|Thornbury|Tidewater|Vista Grande|' +
  'Walnut Grove|Willow Bend|Windmill'
).split('|')

export const STREETS = (
  'Alder Ct|Birch Way|Cannery Row|Cypress Ave|Dogwood Ln|Estuary Dr|Foundry St|Harbor Plaza|Industrial Way|' +
  'Jetty Rd|Kelp St|Larch Ln|Mission Terrace|Nutmeg Ct|Orchard Rd|Poplar St|Quay St|Ridgeline Dr|Sycamore Ave|' +
  'Tannery Ln|Union St|Vista Grande Pkwy|Wharf Rd|Yarrow Ct'
).split('|')

/** Town, state, first digits of the postal code, telephone area. */
export const TOWNS: readonly (readonly [string, string, string, string])[] = [
  ['Bayshore', 'CA', '943', '415'],
  ['Middlefield', 'CA', '944', '650'],
  ['Tidehaven', 'CA', '954', '707'],
  ['San Carlos', 'CA', '940', '408'],
  ['Salinas', 'CA', '939', '831'],
  ['Emery', 'CA', '946', '510'],
  ['Ashford', 'OR', '975', '541'],
  ['Northgate', 'WA', '981', '206'],
]

export const MAIL_DOMAINS = ['fernmail.example', 'coastmail.example', 'postbox.example', 'bluepine.example']
