// Calls the animals through the client that openapi-generator generated.
package main

import (
	"context"
	"errors"
	"log"
	"os"

	api "clients/generated/animals"
)

func main() {
	configuration := api.NewConfiguration()
	configuration.Servers = api.ServerConfigurations{{URL: os.Getenv("API_URL")}}
	client := api.NewAPIClient(configuration)
	keys := map[string]api.APIKey{"key": {Key: os.Getenv("API_KEY")}}
	ctx := context.WithValue(context.Background(), api.ContextAPIKeys, keys)

	// Create and view.
	ada := api.NewAnimalInput("Ada", api.AnimalSpecies("cat"))
	ada.SetWeightKg(4.2)
	ada.SetBornOn("2020-02-29")
	created, _, err := client.AnimalsAPI.CreateAnimal(ctx).AnimalInput(*ada).Execute()
	require(err)
	id := created.Data.Id
	viewed, _, err := client.AnimalsAPI.ViewAnimal(ctx, id).Execute()
	require(err)
	assert(viewed.Data.GetName() == "Ada" && viewed.Data.GetWeightKg() == 4.2 && viewed.Data.GetBornOn() == "2020-02-29")

	// List with filters: two values, a bound and an order.
	bo := api.NewAnimalInput("Bo", api.AnimalSpecies("dog"))
	bo.SetWeightKg(12)
	_, _, err = client.AnimalsAPI.CreateAnimal(ctx).AnimalInput(*bo).Execute()
	require(err)
	listed, _, err := client.AnimalsAPI.ListAnimals(ctx).
		FilterSpeciesIn([]api.AnimalSpecies{"cat", "dog"}).
		FilterWeightKgGt(4).
		OrderBy([]string{"-name"}).
		Execute()
	require(err)
	assert(len(listed.Data) == 2 && listed.Data[0].Name == "Bo" && listed.Data[1].Name == "Ada")
	assert(listed.Pagination.GetTotal() == 2)

	// All 1,000 pets, page by page.
	pets := map[int64]bool{}
	request := client.PetsAPI.ListPetsByCursor(ctx).Limit(100)
	for more := true; more; {
		page, _, err := request.Execute()
		require(err)
		for _, pet := range page.Data {
			pets[pet.Id] = true
		}
		more = page.Pagination.NextCursor.Get() != nil
		request = request.Cursor(page.Pagination.GetNextCursor())
	}
	assert(len(pets) == 1000)

	// Change: nil clears a property, an absent property keeps its value.
	changes := api.NewAnimalChanges()
	changes.SetBornOnNil()
	changed, _, err := client.AnimalsAPI.UpdateAnimal(ctx, id).AnimalChanges(*changes).Execute()
	require(err)
	assert(changed.Data.BornOn.Get() == nil && changed.Data.GetWeightKg() == 4.2)

	// A rejected request has a typed problem.
	nameless := api.NewAnimalInput("", api.AnimalSpecies("cat"))
	_, _, err = client.AnimalsAPI.CreateAnimal(ctx).AnimalInput(*nameless).Execute()
	var failure *api.GenericOpenAPIError
	assert(errors.As(err, &failure))
	rejected, isTyped := failure.Model().(api.InvalidRequestProblem)
	assert(isTyped && rejected.Status == 422 && rejected.Code == "invalid_request")
	assert(rejected.Errors[0].Pointer == "/name" && rejected.Errors[0].Code == "min_length")
	_, _, err = client.PetsAPI.ViewPet(ctx, 1001).Execute()
	assert(errors.As(err, &failure))
	missing, isTyped := failure.Model().(api.PetNotFoundProblem)
	assert(isTyped && missing.Code == "pet_not_found")
}

func require(err error) {
	if err != nil {
		log.Panic(err)
	}
}

func assert(holds bool) {
	if !holds {
		log.Panic("the client returned something else")
	}
}
