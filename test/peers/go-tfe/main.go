// Walks every service of go-tfe that OpenTaco implements: create, read, update, list page by page, delete. Prints one
// JSON object for each step. What go-tfe cannot decode is an error here.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	tfe "github.com/hashicorp/go-tfe"
)

type result struct {
	Service string `json:"service"`
	Step    string `json:"step"`
	Error   string `json:"error,omitempty"`
}

// walk is what one service is walked with.
type walk struct {
	ctx     context.Context
	client  *tfe.Client
	org     string
	user    string
	hook    string
	service string
}

// stop ends the walk of one service after a step that later ones depend on.
type stop struct{}

func (w *walk) report(step string, err error) {
	r := result{Service: w.service, Step: step}
	if err != nil {
		r.Error = err.Error()
	}
	line, _ := json.Marshal(r)
	fmt.Println(string(line))
}

// did reports a step that later ones do not depend on.
func (w *walk) did(step string, err error) { w.report(step, err) }

// must reports a step without which the rest makes no sense.
func (w *walk) must(step string, err error) {
	w.report(step, err)
	if err != nil {
		panic(stop{})
	}
}

// is reports whether an answer says what it should.
func (w *walk) is(step string, ok bool, got any) {
	if ok {
		w.report(step, nil)
		return
	}
	w.report(step, fmt.Errorf("got %+v", got))
}

// gone reports whether something that was deleted is answered as missing.
func (w *walk) gone(step string, err error) {
	if errors.Is(err, tfe.ErrResourceNotFound) {
		w.report(step, nil)
		return
	}
	w.report(step, fmt.Errorf("should be missing, got: %v", err))
}

// pages reports whether a list gives everything, two at a time.
func (w *walk) pages(step string, atLeast int, page func(tfe.ListOptions) (*tfe.Pagination, []string, error)) {
	seen := map[string]bool{}
	number := 1
	for {
		at, ids, err := page(tfe.ListOptions{PageNumber: number, PageSize: 2})
		if err != nil {
			w.report(step, err)
			return
		}
		if at == nil {
			w.report(step, errors.New("the list says nothing about its pages"))
			return
		}
		if len(ids) > 2 {
			w.report(step, fmt.Errorf("a page of two has %d", len(ids)))
			return
		}
		for _, id := range ids {
			seen[id] = true
		}
		if at.NextPage == 0 {
			if len(seen) != at.TotalCount {
				w.report(step, fmt.Errorf("the pages have %d, the count is %d", len(seen), at.TotalCount))
				return
			}
			break
		}
		number = at.NextPage
	}
	w.is(step, len(seen) >= atLeast, seen)
}

func (w *walk) run(service string, steps func(*walk)) {
	w.service = service
	defer func() {
		if problem := recover(); problem != nil {
			if _, ok := problem.(stop); !ok {
				w.report("panic", fmt.Errorf("%v", problem))
			}
		}
	}()
	steps(w)
}

func main() {
	client, err := tfe.NewClient(&tfe.Config{
		Address: os.Getenv("TFE_ADDRESS"),
		Token:   os.Getenv("TFE_TOKEN"),
		// A failure is to be seen, not to be tried again for minutes.
		RetryServerErrors: false,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	w := &walk{ctx: context.Background(), client: client, org: os.Getenv("WALK_ORG"), hook: os.Getenv("WALK_HOOK")}
	for _, one := range services {
		w.run(one.name, one.steps)
	}
}

var services = []struct {
	name  string
	steps func(*walk)
}{
	{"Users", users},
	{"Organizations", organizations},
	{"Projects", projects},
	{"Workspaces", workspaces},
	{"WorkspaceTags", workspaceTags},
	{"WorkspaceLocks", workspaceLocks},
	{"RemoteStateConsumers", remoteStateConsumers},
	{"StateVersions", stateVersions},
	{"StateVersionOutputs", stateVersionOutputs},
	{"WorkspaceResources", workspaceResources},
	{"OrganizationTags", organizationTags},
	{"ReservedTagKeys", reservedTagKeys},
	{"Variables", variables},
	{"VariableSets", variableSets},
	{"VariableSetVariables", variableSetVariables},
	{"Teams", teams},
	{"TeamAccess", teamAccess},
	{"TeamProjectAccess", teamProjectAccess},
	{"TeamMembers", teamMembers},
	{"TeamTokens", teamTokens},
	{"OrganizationMemberships", organizationMemberships},
	{"OrganizationTokens", organizationTokens},
	{"UserTokens", userTokens},
	{"AgentPools", agentPools},
	{"AgentTokens", agentTokens},
	{"SSHKeys", sshKeys},
	{"NotificationConfigurations", notificationConfigurations},
	{"RunTriggers", runTriggers},
	{"Policies", policies},
	{"PolicySets", policySets},
	{"PolicySetParameters", policySetParameters},
	{"PolicySetVersions", policySetVersions},
	{"RunTasks", runTasks},
	{"WorkspaceRunTasks", workspaceRunTasks},
	{"OAuthClients", oauthClients},
	{"OAuthTokens", oauthTokens},
	{"ConfigurationVersions", configurationVersions},
	{"RegistryModules", registryModules},
	{"RegistryNoCodeModules", registryNoCodeModules},
	{"RegistryProviders", registryProviders},
	{"RegistryProviderVersions", registryProviderVersions},
	{"GPGKeys", gpgKeys},
	{"AuditTrails", auditTrails},
}

// count gives a name that nothing else has.
var count int

func fresh(word string) string {
	count++
	return fmt.Sprintf("%s-%d", word, count)
}

// workspace makes one to work with.
func (w *walk) workspace() *tfe.Workspace {
	made, err := w.client.Workspaces.Create(w.ctx, w.org, tfe.WorkspaceCreateOptions{Name: tfe.String(fresh("ws"))})
	w.must("a workspace to work with", err)
	return made
}

func (w *walk) project() *tfe.Project {
	made, err := w.client.Projects.Create(w.ctx, w.org, tfe.ProjectCreateOptions{Name: fresh("project")})
	w.must("a project to work with", err)
	return made
}

func (w *walk) team() *tfe.Team {
	made, err := w.client.Teams.Create(w.ctx, w.org, tfe.TeamCreateOptions{Name: tfe.String(fresh("team"))})
	w.must("a team to work with", err)
	return made
}
