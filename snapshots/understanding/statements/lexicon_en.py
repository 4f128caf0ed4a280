"""Which words belong to which category of preference: English. One line of words per category and theme."""

_FOOD = """
food foods dish dishes cuisine meal meals snack snacks breakfast brunch lunch dinner dessert desserts restaurant bbq
barbecue apple banana orange mango pineapple strawberry strawberries blueberry blueberries raspberry cherry cherries
grape peach pear plum lemon lime coconut avocado tomato tomatoes potato potatoes onion onions garlic carrot carrots
broccoli spinach kale lettuce cucumber pepper peppers chili chilli chilies mushroom mushrooms olive olives aubergine
eggplant zucchini courgette pumpkin corn peas beans lentils chickpeas tofu tempeh coriander cilantro parsley basil
mint ginger cinnamon salt sugar honey mustard ketchup mayo mayonnaise sauce soup soups salad salads stew curry curries
pizza pasta lasagna lasagne spaghetti noodle noodles ramen udon sushi sashimi tempura rice risotto paella taco tacos
burrito burritos dumpling dumplings burger burgers fries steak steaks beef pork bacon ham sausage sausages lamb
chicken turkey duck meat fish salmon tuna cod shrimp shrimps prawn prawns crab lobster shellfish oyster oysters
seafood egg eggs omelette bread toast bagel bagels croissant croissants pancake pancakes waffle waffles cake cakes
cheesecake cookie cookies biscuit biscuits brownie brownies pie pies chocolate candy ice-cream icecream gelato yogurt
yoghurt cheese butter cream milk dairy oat cereal porridge oatmeal granola nut nuts peanut peanuts almond almonds
cashew walnut hazelnut sesame soy gluten wheat lactose tea matcha coffee espresso latte lattes cappuccino americano
mocha juice smoothie smoothies soda cola coke water lemonade beer beers wine wines whisky whiskey gin vodka rum
cocktail cocktails alcohol kombucha hummus falafel kebab kimchi pho pad-thai tapas sandwich sandwiches spicy sweets
vegetables vegetable veggies fruit fruits
"""
_CUISINES = """
thai italian japanese chinese indian mexican korean vietnamese french greek sichuan cantonese lebanese ethiopian
"""
_MUSIC = """
music song songs jazz blues rock pop metal punk techno house trance edm electronic hip-hop hiphop rap reggae soul funk
disco folk classical opera symphony symphonies country bluegrass indie lo-fi lofi ambient k-pop kpop ballad ballads
album albums band bands singer singers orchestra choir guitar piano violin bach mozart beethoven chopin vivaldi
beatles radiohead coldplay tune tunes playlist
"""
_NAVIGATION = """
highway highways motorway motorways freeway freeways expressway expressways toll tolls toll-road ferry ferries tunnel
tunnels route routes road roads street traffic shortcut shortcuts roundabout roundabouts detour detours bridge bridges
backroads u-turns
"""
_VEHICLE = """
car cars suv suvs sedan truck pickup motorcycle motorbike motorbikes ev evs hybrid driving cruise windows sunroof
tesla bmw audi toyota convertible engine autopilot seat-heating dashcam
"""
_CLIMATE = "temperature ac air-con air-conditioning aircon heating cabin fan airflow defrost humidity"
_TRAVEL = """
travel travelling traveling trip trips flight flights hotel hotels hostel hostels airbnb airline airlines lufthansa
aisle window-seat window-seats aisle-seat aisle-seats seat seats beach beaches mountains cruise cruises train trains
airport resort resorts camping backpacking sightseeing luggage layovers layover islands island holidays vacation
"""
_ENTERTAINMENT = """
movie movies film films cinema series show shows sitcom sitcoms documentary documentaries anime cartoon cartoons novel
novels book books comic comics manga podcast podcasts audiobook audiobooks game games gaming videogames thriller
thrillers horror comedy comedies romcoms sci-fi science-fiction fantasy bbc news netflix theatre theater musical
musicals poetry magazine magazines
"""
_SPORTS = """
sport sports football soccer basketball tennis badminton volleyball baseball cricket rugby golf hockey swimming
running jogging cycling biking hiking climbing bouldering skiing snowboarding skating surfing sailing rowing kayaking
yoga pilates boxing karate judo gym workout workouts marathon marathons trekking walking fencing diving snorkeling
paddleboarding weightlifting crossfit
"""
_LEISURE = """
photography painting drawing sketching pottery knitting crochet sewing embroidery gardening cooking baking reading
writing chess puzzles crosswords fishing birdwatching woodworking calligraphy origami dancing singing meditation
astronomy collecting lego journaling volunteering blogging whittling carpentry
"""
_SHOPPING = """
shopping brand brands clothes clothing shoes sneakers jacket jackets dress dresses jeans delivery discounts coupons
sales
"""
_HEALTH = """
pollen dust penicillin ibuprofen aspirin latex cat cats dog dogs nickel bee bees mould mold medication antibiotics
grass
"""

CATEGORY_WORDS: dict[str, str] = {
    "food": _FOOD,
    "music": _MUSIC,
    "navigation": _NAVIGATION,
    "vehicle": _VEHICLE,
    "climate": _CLIMATE,
    "travel": _TRAVEL,
    "entertainment": _ENTERTAINMENT,
    "sports": _SPORTS,
    "leisure": _LEISURE,
    "shopping": _SHOPPING,
}
CUISINES = frozenset(_CUISINES.split())
DESCRIBES = CUISINES | frozenset(
    ["aisle", "spicy", "hybrid", "electronic", "classical", "horror", "comedy", "sci-fi", "science-fiction", "fantasy"]
)
"""Known words that only describe a thing: of "window seats", "aisle" makes "aisle seats"."""
HEALTH_ALLERGENS = frozenset(_HEALTH.split())
CATEGORY_OF: dict[str, str] = {w: c for c, words in CATEGORY_WORDS.items() for w in words.split()}

_OCCUPATIONS = """
programmer developer engineer coder architect designer analyst scientist researcher professor lecturer teacher tutor
student nurse doctor physician surgeon dentist pharmacist vet veterinarian paramedic therapist psychologist
psychiatrist counselor counsellor midwife radiologist optician physiotherapist lawyer attorney solicitor barrister
judge paralegal notary accountant auditor bookkeeper banker broker trader economist actuary consultant manager
director executive ceo cto cfo coo founder entrepreneur freelancer contractor intern apprentice secretary
receptionist assistant administrator clerk cashier salesperson salesman saleswoman marketer copywriter writer author
novelist poet journalist reporter editor translator interpreter librarian photographer videographer filmmaker
illustrator painter sculptor artist musician singer guitarist pianist drummer violinist composer conductor producer
actor actress dancer choreographer comedian chef cook baker barista bartender waiter waitress butcher farmer
gardener florist carpenter plumber electrician mechanic welder builder mason roofer technician machinist driver
courier pilot sailor captain soldier officer policeman policewoman detective firefighter guard lifeguard hairdresser
barber beautician tailor cleaner janitor housekeeper nanny babysitter housewife househusband homemaker coach trainer
athlete footballer referee priest pastor nun monk politician diplomat civil-servant recruiter realtor landlord
geologist biologist chemist physicist mathematician statistician historian archaeologist astronomer astronaut
meteorologist sysadmin devops plasterer surveyor planner strategist influencer youtuber streamer gamedev tester
retiree pensioner paediatrician pediatrician
"""
OCCUPATIONS = frozenset(_OCCUPATIONS.split())
