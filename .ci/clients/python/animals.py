"""Calls the animals through the client that openapi-python-client generated."""

import datetime
import os

from generated.animals import AuthenticatedClient
from generated.animals.api.animals import create_animal, list_animals, update_animal, view_animal
from generated.animals.api.pets import list_pets_by_cursor, view_pet
from generated.animals.models import (
    AnimalChanges,
    AnimalItemPage,
    AnimalSpecies,
    DataAnimal,
    InvalidRequestProblem,
    ListAnimalsOrderByItem,
    NewAnimal,
    PetCursor,
    PetNotFoundProblem,
)
from generated.animals.types import UNSET, Unset

client = AuthenticatedClient(
    os.environ["API_URL"], token=os.environ["API_KEY"], prefix="", auth_header_name="X-Api-Key"
)

# Create and view.
ada = NewAnimal("Ada", AnimalSpecies("cat"), weight_kg=4.2, born_on=datetime.date(2020, 2, 29))
created = create_animal.sync(client=client, body=ada)
assert isinstance(created, DataAnimal)
viewed = view_animal.sync(created.data.id, client=client)
assert viewed == created

# List with filters: two values, a bound and an order.
create_animal.sync(client=client, body=NewAnimal("Bo", AnimalSpecies("dog"), weight_kg=12))
listed = list_animals.sync(
    client=client,
    filterspeciesin=[AnimalSpecies("cat"), AnimalSpecies("dog")],
    filterweight_kggt=4,
    order_by=[ListAnimalsOrderByItem("-name")],
)
assert isinstance(listed, AnimalItemPage)
assert [animal.name for animal in listed.data] == ["Bo", "Ada"]
assert listed.pagination.total == 2

# All 1,000 pets, page by page.
pets = set[int]()
cursor: str | None | Unset = UNSET
while cursor is not None:
    page = list_pets_by_cursor.sync(client=client, cursor=cursor, limit=100)
    assert isinstance(page, PetCursor)
    pets.update(pet.id for pet in page.data)
    cursor = page.pagination.next_cursor
assert len(pets) == 1000

# Change: None clears a property, an absent property keeps its value.
changed = update_animal.sync(created.data.id, client=client, body=AnimalChanges(born_on=None))
assert isinstance(changed, DataAnimal)
assert changed.data.born_on is None
assert changed.data.weight_kg == 4.2

# A rejected request has a typed problem.
rejected = create_animal.sync(client=client, body=NewAnimal("", AnimalSpecies("cat")))
assert isinstance(rejected, InvalidRequestProblem)
assert rejected.status == 422
assert rejected.errors
assert rejected.errors[0].pointer == "/name"
assert rejected.errors[0].code == "min_length"
missing = view_pet.sync(1001, client=client)
assert isinstance(missing, PetNotFoundProblem)
